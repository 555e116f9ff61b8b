import { z } from "zod";
import { Fault } from "../../provider/faults/Fault.ts";
import { TRANSPORT_KINDS } from "../faults/createFaultDesk.ts";

const ATTACKER = `0x${"66".repeat(20)}`;

/**
 * What the router can lie about by a name: the answer's path, the member of it, and what stands
 * there. Of a swap, `recipient`, `minimum` and `deadline` are in its calldata.
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
	permitSpender: { at: ["/quote", "permitData.values.spender"], says: ATTACKER },
	swapTo: { at: ["/swap", "swap.to"], says: ATTACKER },
	swapValue: { at: ["/swap", "swap.value"], says: "0x8ac7230489e80000" },
	swapChain: { at: ["/swap", "swap.chainId"], says: 1 },
} as const satisfies Record<string, { at: readonly [string, string]; says: string | number }>;
export type Lie = keyof typeof LIES;

const order = {
	path: z.string().max(200).optional(),
	/** How often; for ever without it. */
	times: z.int().min(1).optional(),
};

/** How a hosted router goes wrong, as `POST /_sandbox/faults` takes it. */
export const RouterFault = z.discriminatedUnion("kind", [
	Fault.extend({ kind: z.enum(TRANSPORT_KINDS) }),
	/** One member says something else: by its name, with the lie's own value without `value`. */
	z.object({
		...order,
		kind: z.literal("lie"),
		about: z.enum(Object.keys(LIES) as [Lie, ...Lie[]]),
		value: z.json().optional(),
	}),
	/** The calldata of a swap says something else. */
	z.object({
		...order,
		kind: z.literal("calldata"),
		recipient: z.string().optional(),
		minimum: z.string().optional(),
		deadlineS: z.int().optional(),
	}),
	/** This very answer, of 200: for mutants. */
	z.object({ ...order, kind: z.literal("answer"), body: z.json() }),
	/** The better price by so many hundredths of a per cent; a worse one where below zero. */
	z.object({ ...order, kind: z.literal("price"), bps: z.int().min(-10_000).max(10_000) }),
	/** Two ways with half of the amount each, where there are two. */
	z.object({ ...order, kind: z.literal("split") }),
	/** A way through a V4 pool with a fee and a hook, at a price that no swap there would get. */
	z.object({ ...order, kind: z.literal("decoy") }),
	/** The quote is too old for a swap: its calldata is empty. */
	z.object({ ...order, kind: z.literal("expired") }),
	/** It knows of no way. */
	z.object({ ...order, kind: z.literal("no_route") }),
]);
export type RouterFault = z.output<typeof RouterFault>;
