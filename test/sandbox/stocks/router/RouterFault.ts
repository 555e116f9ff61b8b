// Lists the faults and lies of the hosted router that a test may order.

import { z } from "zod";
import { TRANSPORT_KINDS } from "../../emulatorFaults.ts";
import { Fault } from "../../provider/faults.ts";

const ATTACKER = `0x${"66".repeat(20)}`;

/**
 * The named lies of the router: the answer's path, the member, and its false value. For a swap,
 * `recipient`, `minimum` and `deadline` are in its calldata.
 */
export const LIES = {
	recipient: { at: ["/quote", "quote.output.recipient"], says: ATTACKER },
	swapper: { at: ["/quote", "quote.swapper"], says: ATTACKER },
	tokenIn: { at: ["/quote", "quote.input.token"], says: ATTACKER },
	tokenOut: { at: ["/quote", "quote.output.token"], says: ATTACKER },
	amountIn: { at: ["/quote", "quote.input.amount"], says: "1" },
	amountOut: { at: ["/quote", "quote.output.amount"], says: "1" },
	chain: { at: ["/quote", "quote.chainId"], says: 1 },
	minimum: { at: ["/quote", "quote.aggregatedOutputs.0.minAmount"], says: "0" },
	pool: { at: ["/quote", "quote.route.0.0.address"], says: ATTACKER },
	fee: { at: ["/quote", "quote.route.0.0.fee"], says: "950000" },
	permit: { at: ["/quote", "permitData"], says: ATTACKER },
	swapTo: { at: ["/swap", "swap.to"], says: ATTACKER },
	swapValue: { at: ["/swap", "swap.value"], says: "0x8ac7230489e80000" },
	swapChain: { at: ["/swap", "swap.chainId"], says: 1 },
} as const satisfies Record<string, { at: readonly [string, string]; says: string | number }>;
export type Lie = keyof typeof LIES;

const order = {
	path: z.string().max(200).optional(),
	/** How often; without it always. */
	times: z.int().min(1).optional(),
};

/** The faults of a hosted router, as `POST /_sandbox/faults` takes them. */
export const RouterFault = z.discriminatedUnion("kind", [
	Fault.extend({ kind: z.enum(TRANSPORT_KINDS) }),
	/**
	 * One member has another value: by its name, with the lie's own value unless `value` is given.
	 */
	z.object({
		...order,
		kind: z.literal("lie"),
		about: z.enum(Object.keys(LIES) as [Lie, ...Lie[]]),
		value: z.json().optional(),
	}),
	/** The calldata of a swap has other values. */
	z.object({
		...order,
		kind: z.literal("calldata"),
		recipient: z.string().optional(),
		minimum: z.string().optional(),
		deadlineS: z.int().optional(),
	}),
	/** Exactly this answer, with 200: for mutants. */
	z.object({ ...order, kind: z.literal("answer"), body: z.json() }),
	/** A price that is better by this many basis points; worse if negative. */
	z.object({ ...order, kind: z.literal("price"), bps: z.int().min(-10_000).max(10_000) }),
	/** Two routes with half of the amount each, if there are two. */
	z.object({ ...order, kind: z.literal("split") }),
	/** A route through a V4 pool with a fee and a hook, at a price that no swap there would get. */
	z.object({ ...order, kind: z.literal("decoy") }),
	/** The quote is too old for a swap: its calldata is empty. */
	z.object({ ...order, kind: z.literal("expired") }),
	/** It finds no route. */
	z.object({ ...order, kind: z.literal("no_route") }),
]);
export type RouterFault = z.output<typeof RouterFault>;
