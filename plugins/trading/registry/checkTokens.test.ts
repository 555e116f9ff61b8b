import { expect, test } from "bun:test";
import { type Hex, numberToHex } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { type Rpc, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { transferProbe } from "#plugins/trading/probes.ts";
import { probeTransfers } from "#plugins/trading/registry/checkTokens.ts";
import { createTokenNode } from "#plugins/trading/testing/tokenNode.ts";
import { compileRuntime } from "#test/harness/compileFixtures.ts";

const TOKEN: Address = `0x${"a1".repeat(20)}`;
const holders = new Map([[TOKEN, `0x${"b1".repeat(20)}` as Address]]);
const { signal } = new AbortController();

test("the code of the trial equals what the compiler makes of its source", () => {
	const { code, selectors } = compileRuntime("TransferProbe");
	expect(code).toBe(transferProbe.code);
	expect(`0x${selectors["probe(address,address)"]}`).toBe(transferProbe.selector);
});

const words = (...values: (bigint | number)[]): Hex =>
	`0x${values.map((value) => numberToHex(value, { size: 32 }).slice(2)).join("")}`;

async function probe(outcome: RpcOutcome | string) {
	const answer: RpcOutcome =
		typeof outcome === "string" ? { kind: "result", result: outcome } : outcome;
	const rpc: Rpc = { ...createTokenNode(() => 0).rpc, settle: async () => [answer] };
	const found = await probeTransfers(rpc, { holders, block: 7, signal });
	return found.get(TOKEN);
}

test("a trial transfer shows whether all of it arrived", async () => {
	expect(await probe(words(1, 800, 800, 800))).toBe("exact");
	expect(await probe(words(1, 800, 799, 800))).toBe("fee");
	expect(await probe(words(1, 800, 800, 801))).toBe("fee");
	expect(await probe(words(0, 800, 0, 0))).toBe("refused");
});

test("a transfer that could not be tried has no result", async () => {
	const refused = { kind: "fault", fault: rpcFault.refused({ detail: "no overrides" }) } as const;
	for (const answer of [refused, "0x", "0x12", words(1, 0, 0, 0), words(1, 2), "nonsense"]) {
		expect(await probe(answer)).toBeUndefined();
	}
});
