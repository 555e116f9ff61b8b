import { beforeAll, describe, expect, test } from "bun:test";
import { privateKeyToAccount } from "viem/accounts";
import type { z } from "zod";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import { readAuthorization } from "#plugins/bridge/quote/authorizations.ts";
import { checkQuote, type QuoteVerdict } from "#plugins/bridge/quote/checkQuote.ts";
import { orderIdOf, relayOrder, wireAuthorization } from "#plugins/bridge/relay/order.ts";
import type { RelayChain } from "#plugins/bridge/relay/Relay.ts";
import { wirePermitAnswer, wireQuote } from "#plugins/bridge/relay/wire.ts";
import { leavesOf, mutantsOf } from "#test/harness/mutantsOf.ts";
import { type BridgeChain, solverAccount } from "#test/sandbox/bridge/BridgeWorld.ts";
import { orderStep } from "#test/sandbox/bridge/permits.ts";
import { quoteRoute } from "#test/sandbox/bridge/quoteRoute.ts";

// Guarantee: whatever is changed in a quote, what is signed is what was asked for, or nothing is.

const NOW_MS = Date.UTC(2026, 10, 25, 12);
const DEPOSITORY = `0x${"d0".repeat(20)}` as const;
const PROXY = `0x${"a9".repeat(20)}` as const;
const TOKEN = `0x${"70".repeat(20)}` as const;
const USER = `0x${"a1".repeat(20)}` as const;
const RECIPIENT = `0x${"b2".repeat(20)}` as const;
const REFUND = `0x${"c3".repeat(20)}` as const;
const COIN = { address: ZERO_ADDRESS, symbol: "ETH", name: "Ether", decimals: 18 } as const;
const DOLLAR = { address: TOKEN, symbol: "USDG", name: "Dollar", decimals: 6 } as const;

const emulated = (id: number, name: string): BridgeChain => ({
	...{ id, name, rpcUrl: "", rpc: null as never, depository: DEPOSITORY },
	approvalProxy: PROXY,
	currencies: [
		{ ...COIN, usdMicros: 2_000_000_000n },
		{ ...DOLLAR, usdMicros: 1_000_000n, supportsPermit: true },
	],
});
const chains = [emulated(8_453, "base"), emulated(4_663, "robinhood")];
const published = ({ id, name }: BridgeChain): RelayChain => ({
	...{ id, name, displayName: name, httpRpcUrl: null, isEvm: true },
	...{ isDisabled: false, isLagging: false, currency: { symbol: "ETH", decimals: 18 } },
	solverCurrencies: [ZERO_ADDRESS, TOKEN],
	solverAddresses: [solverAccount.address.toLowerCase() as `0x${string}`],
	protocol: { name, depository: DEPOSITORY },
	contracts: [DEPOSITORY],
	permits: { spender: PROXY, tokens: [TOKEN] },
});

const isProving = process.env["PROVE"] === "1";
/** In `test` a third of the ways to spoil something; of each leaf, at least one. */
const isInSample = (_: unknown, index: number) => isProving || index % 3 === 0;

type Case = { name: string; route: BridgeRoute; said: unknown; usePermit: boolean };
const cases: Case[] = [];

beforeAll(async () => {
	for (const [name, from, as, amount, usePermit] of [
		["a coin for a token", COIN, DOLLAR, 10n ** 17n, false],
		["a token for a coin", DOLLAR, COIN, 250_000_000n, false],
		["a token by signatures", DOLLAR, COIN, 250_000_000n, true],
	] as const) {
		const place = (chain: string, chainId: number, currency: typeof COIN | typeof DOLLAR) => {
			const { address, symbol, decimals } = currency;
			return { chainId, chain, currency: address, symbol, decimals };
		};
		const route: BridgeRoute = {
			...{ user: USER, recipient: RECIPIENT, refundTo: REFUND, amountRaw: amount },
			origin: place("base", 8_453, from),
			destination: place("robinhood", 4_663, as),
		};
		const quoted = await quoteRoute(
			{ chains, clock: { nowMs: () => NOW_MS } },
			{
				...{ user: USER, recipient: RECIPIENT, refundTo: REFUND, amount, tradeType: "EXACT_INPUT" },
				...{ originChainId: 8_453, destinationChainId: 4_663 },
				...{ originCurrency: from.address, destinationCurrency: as.address, usePermit },
			},
			7,
		);
		if ("errorCode" in quoted) throw new Error(quoted.message);
		const { quote, entry } = quoted;
		if (usePermit) quote.steps.push(orderStep(entry));
		cases.push({ name, route, said: quote, usePermit });
	}
});

async function judge({ route, usePermit }: Case, said: unknown): Promise<QuoteVerdict | null> {
	const { data } = wireQuote.safeParse(said);
	if (!data) return null;
	const [from, to] = chains.map(published);
	if (!from || !to) throw new Error("no chains");
	const asked = { route, origin: from, destination: to, usePermit, nowMs: NOW_MS };
	return await checkQuote(asked, data);
}

/** What is shown and nothing is made of; a change here changes no byte of what is signed. */
const SHOWN = [
	/^fees\./,
	/^details\.(operation|rate|timeEstimate|requestId|totalImpact)/,
	/^details\.currency(In|Out)\.(amountUsd|amountFormatted)/,
	/^details\.currency(In|Out)\.currency\.(symbol|name)/,
	/^details\.currencyIn\.minimumAmount/,
	/\.(action|description)$/,
	/\.check(\.|$)/,
	/^protocol\.v2\.hubType$/,
];
/** Not the meaning: capitals of hex, a signature's other form, an empty step. */
/**
 * Changes what is signed, and not what it can do: exactly so much of that token, to the published
 * contract, within a day. Its nonce is the provider's own; the token's name is asked of the token.
 */
const PROVIDERS = [
	/^steps\[0\]\.items\[0\]\.data\.sign\.value\.(nonce|validAfter|validBefore)/,
	/^steps\[0\]\.items\[0\]\.data\.sign\.domain\.(name|version)/,
	/^steps\[\d\]\.items\[0\]\.data\.post\.body\.(api|kind)/,
];
const same = (one: QuoteVerdict | null, other: QuoteVerdict | null) => Bun.deepEquals(one, other);

for (const index of [0, 1, 2]) {
	test(`case ${index}: the unmutated control is accepted, with our steps`, async () => {
		const one = cases[index];
		if (!one) throw new Error("no such case");
		const verdict = await judge(one, one.said);
		expect(verdict).toMatchObject({ kind: "good" });
		if (verdict?.kind !== "good") return;
		const { steps, authorizations } = verdict.quote;
		expect([...steps, ...authorizations].map(({ kind }) => kind)).toEqual(
			one.usePermit
				? ["payment", "order"]
				: one.route.origin.currency === ZERO_ADDRESS
					? ["deposit"]
					: ["approve", "deposit"],
		);
	});

	test(`case ${index}: a change of any leaf, order or length is refused before signing`, async () => {
		const one = cases[index];
		if (!one) throw new Error("no such case");
		const control = await judge(one, one.said);
		const survivors: string[] = [];
		let refused = 0;
		for (const { path, how, value } of mutantsOf(one.said).filter(isInSample)) {
			const verdict = await judge(one, value);
			if (verdict?.kind !== "good") refused++;
			else if (one.usePermit && PROVIDERS.some((pattern) => pattern.test(path))) {
				if (!Bun.deepEquals(takes(verdict), takes(control))) survivors.push(`${path} ${how}`);
			} else if (!same(verdict, control)) survivors.push(`${path} ${how}: other plan`);
			else if (!SHOWN.some((pattern) => pattern.test(path))) survivors.push(`${path} ${how}`);
		}
		const told = survivors.filter((one) => !MEANINGLESS.test(one) && !LEFT_OUT.test(one));
		expect(told).toEqual([]);
		expect(refused).toBeGreaterThan(isProving ? 250 : 80);
	});
}

/** What the signatures of a quote can do, whoever has them. */
function takes(verdict: QuoteVerdict | null): unknown {
	if (verdict?.kind !== "good") return null;
	return verdict.quote.authorizations.map((one) => {
		if (one.kind === "order") return { chainId: one.chainId, orderId: one.orderId };
		const { chainId, token, spender, amountRaw } = one;
		return { chainId, token, spender, amountRaw, of: one.body.requestId };
	});
}

/** May be left out: an approval of what is allowed already, and the order's signature. */
const MEANINGLESS =
	/^steps (without 0|without 1: other plan)$|^steps\[0\](\.items (empty|without 0)| left out)$/;

/** Members that a quote may lack: nothing that is signed is taken from them. */
const LEFT_OUT =
	/^(steps\[\d\]\.(requestId|items\[0\]\.data\.(from|value))|details\.currencyOut\.minimumAmount|fees) (left out|is null)$/;

describe("a real quote", () => {
	/** Judges a case's quote after a change: 0 pays in coin, 1 a token. */
	async function after(index: 0 | 1, change: (said: any) => void) {
		const one = cases[index];
		if (!one) throw new Error("no such case");
		const said = structuredClone(one.said) as any;
		change(said);
		return await judge(one, said);
	}
	/** An approval of so much before all other steps. */
	const approves = (said: any, raw: string) => {
		const first = structuredClone(said.steps[0]);
		const { data } = first.items[0];
		data.data = `${data.data.slice(0, -64)}${raw.padStart(64, "0")}`;
		said.steps.unshift(first);
	};

	test.each([
		["without an estimate", 0, (said: any) => delete said.details.timeEstimate],
		["without its impact", 0, (said: any) => delete said.details.totalImpact],
		["without a fee for others", 0, (said: any) => delete said.fees.app],
		["without any fee", 0, (said: any) => delete said.fees],
		[
			"whose steps do not all name their request",
			1,
			(said: any) => {
				delete said.steps[0].requestId;
				delete said.steps[0].items[0].check;
			},
		],
		[
			"whose steps name their request where their progress is asked for",
			1,
			(said: any) => {
				for (const step of said.steps) step.requestId = null;
			},
		],
		[
			"without the least amount beside its order",
			0,
			(said: any) => delete said.details.currencyOut.minimumAmount,
		],
		[
			"whose steps do not say who sends them",
			1,
			(said: any) => {
				for (const { items } of said.steps) delete items[0].data.from;
			},
		],
		[
			"whose token steps carry no value",
			1,
			(said: any) => {
				for (const { items } of said.steps) delete items[0].data.value;
			},
		],
		[
			"whose approval is marked complete",
			1,
			(said: any) => {
				said.steps[0].items[0].status = "complete";
			},
		],
		["that takes an allowance back before it gives one", 1, (said: any) => approves(said, "0")],
	] as const)("%s is accepted, with our steps", async (_, index, change) => {
		const plain = await after(index, () => {});
		const verdict = await after(index, change);
		expect(verdict?.kind).toBe("good");
		expect(verdict).toEqual(plain);
	});

	test.each([
		[
			"of coin without a deposit",
			0,
			(said: any) => {
				said.steps[0].items = [];
			},
		],
		[
			"whose deposit is marked complete",
			0,
			(said: any) => {
				said.steps[0].items[0].status = "complete";
			},
		],
		[
			"of a token without a deposit",
			1,
			(said: any) => {
				said.steps[1].items = [];
			},
		],
		[
			"that carries no coin in a deposit of coin",
			0,
			(said: any) => {
				delete said.steps[0].items[0].data.value;
			},
		],
		["that allows something before it gives an allowance", 1, (said: any) => approves(said, "1")],
		[
			"whose steps name no request",
			0,
			(said: any) => {
				delete said.steps[0].requestId;
				delete said.steps[0].items[0].check;
			},
		],
		[
			"whose request is no id",
			0,
			(said: any) => {
				delete said.steps[0].requestId;
				said.steps[0].items[0].check.endpoint = "/intents/status?requestId=0xabc";
			},
		],
	] as const)("%s is refused", async (_, index, change) => {
		expect(await after(index, change)).toMatchObject({ kind: "bad", code: "quote_mismatch" });
	});

	test.each([
		["what fills it", (order: any, bytes: string) => (order.output.extraData = bytes)],
		[
			"what pays it back",
			(order: any, bytes: string) => {
				order.inputs[0].refunds[0].extraData = bytes;
			},
		],
	] as const)("a quote whose order names somebody else as %s is refused", async (_, put) => {
		const named = async (bytes: string) => {
			const [one] = cases;
			if (!one) throw new Error("no such case");
			const said = structuredClone(one.said) as any;
			const { v2 } = said.protocol;
			put(v2.orderData, bytes);
			v2.orderId = orderIdOf(relayOrder.parse(v2.orderData));
			v2.orderSignature = await solverAccount.signMessage({ message: { raw: v2.orderId } });
			const { data } = said.steps.at(-1).items[0];
			data.data = data.data.slice(0, -64) + v2.orderId.slice(2);
			return (await judge(one, said))?.kind;
		};
		expect(await named("0x")).toBe("good");
		expect(await named(`0x${DEPOSITORY.slice(2).padStart(64, "0")}`)).toBe("good");
		expect(await named(`0x${"bad".padStart(64, "0")}`)).toBe("bad");
	});
});

// The five quotes that the provider's kit tests itself with, as shapes of our own.
describe("a quote from the tests of the provider's SDK", () => {
	const PERMIT2 = `0x${"22".repeat(20)}`;
	const MAX = "f".repeat(64);
	/** A quote of a case with other steps; `isOrdered` false: as it was published, without one. */
	async function shape(
		given: { index: 0 | 1; usePermit?: boolean; isOrdered?: boolean },
		steps: (own: any[]) => any[],
	) {
		const { index, usePermit = false, isOrdered = true } = given;
		const one = cases[index];
		if (!one) throw new Error("no such case");
		const said = structuredClone(one.said) as any;
		said.steps = steps(said.steps);
		if (!isOrdered) delete said.protocol;
		const verdict = await judge({ ...one, usePermit }, said);
		return verdict?.kind === "bad" ? `${verdict.code}: ${verdict.detail}` : verdict?.kind;
	}
	const approveOf = (own: any[], spender: string, raw: string) => {
		const step = structuredClone(own[0]);
		const { data } = step.items[0];
		data.data = `${data.data.slice(0, 10)}${spender.slice(2).padStart(64, "0")}${raw.padStart(64, "0")}`;
		delete data.from;
		return step;
	};
	const swapOf = (own: any[]) => {
		const step = structuredClone(own.at(-1));
		Object.assign(step, { id: "swap", action: "Swap", description: "Swaps one for another" });
		Object.assign(step.items[0].data, { to: PROXY, data: "0xf9e4bab4" });
		return step;
	};
	const permit2Of = ({ requestId }: any) => ({
		...{ id: "authorize1", kind: "signature", requestId, action: "Sign", description: "Sign" },
		items: [
			{
				status: "incomplete",
				data: {
					sign: {
						...{ signatureKind: "eip712", primaryType: "PermitBatchWitnessTransferFrom" },
						domain: { name: "Permit2", chainId: 8_453, verifyingContract: PERMIT2 },
						types: { PermitBatchWitnessTransferFrom: [{ name: "spender", type: "address" }] },
						value: { spender: PROXY },
					},
					post: {
						...{ endpoint: "/execute/permits", method: "POST" },
						body: { kind: "eip3009", requestId, api: "swap" },
					},
				},
			},
		],
	});
	const withSignature = (own: any[]) => [approveOf(own, PERMIT2, MAX), permit2Of(own[0])];
	const withSwap = (own: any[]) => [own[0], swapOf(own)];
	const reset = (own: any[]) => approveOf(own, DEPOSITORY, "0");

	test.each([
		["a deposit of coin", 0, (own: any[]) => own],
		["an allowance without end and a Permit2 signature", 1, withSignature],
		["an allowance and a swap", 1, withSwap],
		["an allowance taken back, one given, and a swap", 1, (own) => [reset(own), ...withSwap(own)]],
	] as [string, 0 | 1, (own: any[]) => any[]][])(
		"%s, is refused without an order, because nothing else says what is bought",
		async (_, index, steps) => {
			expect(await shape({ index, isOrdered: false }, steps)).toBeUndefined();
		},
	);

	test("a deposit of coin, is accepted once its order exists", async () => {
		expect(await shape({ index: 0 }, (own) => own)).toBe("good");
	});

	test("an unlimited allowance and a Permit2 signature, is refused because of the signature", async () => {
		expect(await shape({ index: 1 }, withSignature)).toBe(
			"signature_steps_unsupported: a step asks for a signature",
		);
		const asked = { index: 1, usePermit: true } as const;
		expect(await shape(asked, withSignature)).toBe(
			"quote_mismatch: it asks for a signature and a transaction",
		);
		expect(await shape(asked, (own) => [permit2Of(own[0])])).toBe(
			"signature_steps_unsupported: a signature is of no known kind",
		);
	});

	test("further steps after a signature, here an unlimited allowance, are not executed", async () => {
		const [, one] = cases;
		const [origin] = chains.map(published);
		if (!one || !origin) throw new Error("no such case");
		const { steps, protocol } = wireQuote.parse(one.said);
		const answer = { steps: [approveOf((one.said as any).steps, PERMIT2, MAX)] };
		const [step] = wirePermitAnswer.parse(answer).steps ?? [];
		if (!step) throw new Error("the answer has no step");
		const { orderId } = protocol.v2;
		const requestId = steps[0]?.requestId ?? orderId;
		const asked = { route: one.route, origin, nowMs: NOW_MS };
		expect(readAuthorization(asked, { step, kind: "order", requestId, orderId })).toMatchObject({
			code: "quote_mismatch",
			flaw: "it asks for a signature and a transaction",
		});
	});

	test("an allowance and a swap, is refused because the swap's calldata is unknown", async () => {
		expect(await shape({ index: 1 }, withSwap)).toBe('quote_mismatch: it has a step "swap"');
	});

	test("a revoked and a given allowance, are accepted before a deposit, and not before a swap", async () => {
		const before = (last: (own: any[]) => any) => (own: any[]) => [reset(own), own[0], last(own)];
		expect(await shape({ index: 1 }, before(swapOf))).toBe('quote_mismatch: it has a step "swap"');
		expect(
			await shape(
				{ index: 1 },
				before((own) => own[1]),
			),
		).toBe("good");
	});
});

test("the sample has every member that the schema reads", () => {
	const leaves = [...leavesOf(cases[1]?.said)];
	const missing = membersOf(wireQuote).filter((member) => {
		return !leaves.some((leaf) => leaf === member || leaf.startsWith(`${member}.`));
	});
	// What a bridge without them leaves out.
	const optional = ["requestId", "protocol.v2.orderData.output.calls[]"];
	const unread = missing.filter((member) => !optional.some((one) => member.startsWith(one)));
	expect(unread.sort()).toEqual(
		["amount", "currency", "currencyChainId", "recipient", "recipientChainId"].map((member) => {
			return `protocol.v2.orderData.fees[].${member}`;
		}),
	);
});

test("the sample has every member that the schema of signatures reads", () => {
	const leaves = [...leavesOf(cases[2]?.said)];
	const missing = membersOf(wireAuthorization, "steps[].items[].data").filter((member) => {
		return !leaves.some((leaf) => leaf === member || leaf.startsWith(`${member}.`));
	});
	expect(missing).toEqual([]);
});

/** Paths of all leaves of a schema, with `[]` for a list's items. */
function membersOf(schema: z.ZodType, path = ""): string[] {
	const { def } = schema as unknown as { def: any };
	switch (def.type) {
		case "object":
			return Object.entries<z.ZodType>(def.shape).flatMap(([key, member]) =>
				membersOf(member, path === "" ? key : `${path}.${key}`),
			);
		case "array":
			return membersOf(def.element, `${path}[]`);
		case "tuple":
			return [`${path}[]`];
		case "union":
			return [...new Set((def.options as z.ZodType[]).flatMap((one) => membersOf(one, path)))];
		case "optional":
		case "nullable":
		case "catch":
		case "default":
			return membersOf(def.innerType, path);
		case "pipe":
			return membersOf(def.in, path);
		default:
			return [path];
	}
}

test("only the provider's solver is accepted as signer", async () => {
	const thief = privateKeyToAccount(`0x${"7".repeat(64)}`);
	const [one] = cases;
	if (!one) throw new Error("no such case");
	const said = structuredClone(one.said) as any;
	const { orderId } = said.protocol.v2;
	said.protocol.v2.orderSignature = await thief.signMessage({ message: { raw: orderId } });
	expect(await judge(one, said)).toMatchObject({ kind: "bad", code: "quote_mismatch" });
});
