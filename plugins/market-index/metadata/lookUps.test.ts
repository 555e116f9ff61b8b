import { describe, expect, test } from "bun:test";
import {
	encodeAbiParameters,
	encodeErrorResult,
	encodeFunctionResult,
	type Hex,
	parseAbi,
} from "viem";
import type { Chain } from "#core/chain/Chain.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { createLookUps, ensName } from "#plugins/market-index/metadata/lookUps.ts";
import { base, ethereum } from "#plugins/market-index/testing/marketFixture.ts";

const abi = parseAbi([
	"struct Result { bool success; bytes returnData; }",
	"function aggregate3() returns (Result[] returnData)",
	"function resolve() view returns (bytes result, address resolver)",
	"error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extra)",
	"error ResolverNotFound(bytes name)",
	"error ResolverError(bytes data)",
]);

const OWNER = `0x${"ab".repeat(20)}` as const;
const HASH = `0x${"cd".repeat(32)}` as const;

/** Look-ups over chains that answer as a test says; `asked` has all calls. */
function open(answer: (call: RpcCall) => unknown, chains: readonly Chain[] = [ethereum, base]) {
	const asked: RpcCall[] = [];
	const time = { nowMs: 1_000_000 };
	const rpc = {
		async call(call: RpcCall) {
			asked.push(call);
			return answer(call);
		},
	} as unknown as Rpc;
	const indexed = chains.map((chain) => ({ chain, rpcFor: () => rpc }));
	return { asked, time, lookUps: createLookUps({ indexed, clock: { nowMs: () => time.nowMs } }) };
}

const together = (success: boolean, returnData: Hex) =>
	encodeFunctionResult({
		...{ abi, functionName: "aggregate3" },
		result: [{ success, returnData }],
	});

const resolved = (address: Hex) => {
	const told = encodeAbiParameters([{ type: "address" }], [address]);
	return together(
		true,
		encodeFunctionResult({ abi, functionName: "resolve", result: [told, OWNER] }),
	);
};

describe("name", () => {
	test("a name on the chain is an address, asked for once in half a minute", async () => {
		const { lookUps, asked, time } = open(() => resolved(OWNER));
		for (let times = 0; times < 3; times++) {
			expect(await lookUps.name("tidal.eth")).toEqual({ kind: "found", address: OWNER });
		}
		expect(asked).toHaveLength(1);
		time.nowMs += 30_000;
		await lookUps.name("tidal.eth");
		expect(asked).toHaveLength(2);
	});

	test("a name without a resolver or an address is nobody's", async () => {
		const missing = encodeErrorResult({ abi, errorName: "ResolverNotFound", args: ["0x00"] });
		expect(await open(() => together(false, missing)).lookUps.name("a.eth")).toEqual({
			kind: "none",
		});
		const zero = open(() => resolved(`0x${"00".repeat(20)}`));
		expect(await zero.lookUps.name("a.eth")).toEqual({ kind: "none" });
	});

	test("a name whose resolver answers off the chain is not known, and its server is not asked", async () => {
		const args = [OWNER, ["https://gateway.test/{data}"], "0x", "0x00000000", "0x"] as const;
		const offChain = encodeErrorResult({ abi, errorName: "OffchainLookup", args });
		const { lookUps, asked } = open(() => together(false, offChain));
		expect(await lookUps.name("a.eth")).toEqual({ kind: "unknown", reason: "off_chain" });
		expect(asked).toHaveLength(1);
	});

	test("what cannot be read is not known, and never nobody", async () => {
		const failed = encodeErrorResult({ abi, errorName: "ResolverError", args: ["0x"] });
		for (const answer of [
			() => together(false, failed),
			() => together(false, "0x"),
			() => together(true, "0x12"),
			() => "0x",
			() => "not hex",
			() => null,
			() => Promise.reject(new TypeError("no node")),
		]) {
			const told = await open(answer).lookUps.name("a.eth");
			expect(told).toEqual({ kind: "unknown", reason: "no_answer" });
		}
	});

	test("without Ethereum no name is resolved", async () => {
		const { lookUps, asked } = open(() => resolved(OWNER), [base]);
		expect(await lookUps.name("a.eth")).toEqual({ kind: "unknown", reason: "not_followed" });
		expect(asked).toEqual([]);
	});
});

describe("transaction", () => {
	test("a receipt is a transaction with its block, a missing one is none", async () => {
		const found = open(() => ({ blockNumber: "0x10", status: "0x0", more: 1 }));
		expect(await found.lookUps.transaction(base, HASH)).toEqual({
			...{ kind: "found", blockNumber: 16, isReverted: true },
		});
		expect(found.asked).toEqual([{ method: "eth_getTransactionReceipt", params: [HASH] }]);
		expect(await open(() => null).lookUps.transaction(base, HASH)).toEqual({ kind: "none" });
	});

	test("an answer that cannot be read is not known, and asked for again", async () => {
		const { lookUps, asked } = open(() => ({ blockNumber: "soon" }));
		for (let times = 0; times < 2; times++) {
			const told = await lookUps.transaction(base, HASH);
			expect(told).toEqual({ kind: "unknown", reason: "no_answer" });
		}
		expect(asked).toHaveLength(2);
	});

	test("searches ask chains 120 times a minute at most", async () => {
		const { lookUps, asked, time } = open(() => null);
		const hash = (index: number) => `0x${index.toString(16).padStart(64, "0")}` as const;
		for (let index = 0; index < 150; index++) await lookUps.transaction(base, hash(index));
		expect(asked).toHaveLength(120);
		expect(await lookUps.transaction(base, hash(200))).toEqual({
			...{ kind: "unknown", reason: "too_many" },
		});
		time.nowMs += 60_000;
		expect(await lookUps.transaction(base, hash(200))).toEqual({ kind: "none" });
	});
});

test("only what ends in .eth and can be a name is one", () => {
	expect(ensName("Tidal.ETH")).toBe("tidal.eth");
	expect(ensName("a.b.eth")).toBe("a.b.eth");
	for (const text of ["tidal", "tidal cats.eth", ".eth", "a..eth", "a_b.ETH/x", "https://a.eth/"]) {
		expect({ text, name: ensName(text) }).toEqual({ text, name: null });
	}
});
