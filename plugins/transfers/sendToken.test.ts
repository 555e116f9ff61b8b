import { expect, test } from "bun:test";
import { encodeFunctionResult, type Hex, toFunctionSelector } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import {
	coinNamed,
	SEND_PROBE_CODE,
	sendProbeAbi,
	trialQuestion,
} from "#plugins/transfers/sendToken.ts";
import { compileRuntime } from "#test/harness/compileFixtures.ts";

// Guarantee: a token is sent only where a trial moved exactly the amount. Trials on a real chain
// are in `transferKind.test.ts`.

const TOKEN = `0x${"7e".repeat(20)}` as const;
const ANNA = `0x${"a1".repeat(20)}` as const;
const WALLET = `0x${"99".repeat(20)}` as const;
const chain = builtinChains.find(({ slug }) => slug === "robinhood");
if (!chain) throw new Error("no such chain");

const question = trialQuestion({
	coin: { address: TOKEN, symbol: "TSLA", decimals: 2 },
	...{
		chain,
		from: WALLET,
		to: ANNA,
		raw: 100n,
		togetherRaw: 300n,
		note: null,
		shown: { action: "x" },
	},
});

function answer(outcome: bigint, held: bigint, left: bigint, arrived: bigint, isContract = false) {
	return encodeFunctionResult({
		...{ abi: sendProbeAbi, functionName: "probe" as const },
		result: [outcome, held, left, arrived, isContract ? 1n : 0n],
	});
}

function codeOf(answered: unknown): string | null {
	const told = question.shownBy(answered);
	return told.kind === "denied" ? told.denial.code : null;
}

test("the code of the trial equals what the compiler makes of its source", () => {
	const { code, selectors } = compileRuntime("SendProbe");
	expect(code).toBe(SEND_PROBE_CODE);
	const [probe] = sendProbeAbi;
	expect(`0x${selectors["probe(address,address,uint256)"]}`).toBe(toFunctionSelector(probe));
});

test("a token is sent only if it moves exactly the amount", () => {
	expect(codeOf(answer(1n, 300n, 100n, 100n))).toBeNull();
	expect(codeOf(answer(1n, 299n, 100n, 100n))).toBe("balance_insufficient");
	expect(codeOf(answer(0n, 299n, 0n, 0n))).toBe("balance_insufficient");
	expect(codeOf(answer(1n, 300n, 101n, 100n))).toBe("token_unsafe");
	expect(codeOf(answer(1n, 300n, 99n, 100n))).toBe("token_unsafe");
	expect(codeOf(answer(1n, 300n, 100n, 101n))).toBe("token_unsafe");
	expect(codeOf(answer(0n, 300n, 0n, 0n))).toBe("simulation_failed");
	expect(codeOf(answer(2n, 300n, 100n, 100n))).toBe("simulation_failed");
	expect(codeOf(answer(3n, 300n, 100n, 100n))).toBe("currency_unreadable");
	expect(question.shownBy(answer(1n, 300n, 100n, 98n))).toMatchObject({
		denial: { detail: expect.stringContaining("of 1, 1 would leave the wallet and 0.98 would") },
	});
});

test("an unreadable answer does not count as success", () => {
	const whole = answer(1n, 300n, 100n, 100n);
	const isOdd: Hex = `${whole.slice(0, -1)}2` as Hex;
	for (const odd of [null, undefined, "0x", "", whole.slice(0, -2), `${whole}00`, 1, {}, isOdd]) {
		expect(codeOf(odd)).toBe("simulation_unavailable");
	}
	expect(codeOf(answer(4n, 300n, 100n, 100n))).toBe("simulation_unavailable");
	expect(codeOf(answer(2n ** 200n + 1n, 300n, 100n, 100n))).toBe("simulation_unavailable");
});

test("the owner sees the token's symbol with its address, and whether a contract receives it", () => {
	const told = (isContract: boolean) => question.shownBy(answer(1n, 300n, 100n, 100n, isContract));
	expect(told(false)).toEqual({
		kind: "shown",
		shown: {
			...{ action: "x", token: TOKEN, recipientIsContract: false },
			summary: `Sends 1 TSLA (${TOKEN}) to ${ANNA} on Robinhood Chain.`,
		},
	});
	expect(told(true)).toMatchObject({
		shown: {
			summary: `Sends 1 TSLA (${TOKEN}) to the contract ${ANNA} on Robinhood Chain.`,
			recipientIsContract: true,
		},
	});
});

test("only ETH or an address is accepted as a currency", () => {
	expect(coinNamed(undefined)).toBeNull();
	expect(coinNamed("eth")).toBeNull();
	expect(coinNamed(TOKEN.toUpperCase().replace("0X", "0x"))).toBe(TOKEN);
	for (const odd of ["USDG", "0x12", "", `${TOKEN}00`]) expect(() => coinNamed(odd)).toThrow();
});
