import { expect, test } from "bun:test";
import fc from "fast-check";
import { isRangeError } from "#core/chain/rpc/isRangeError.ts";
import { rangeBlocksMax } from "#core/chain/rpc/rangeBlocksMax.ts";
import { cpuTimer } from "#test/harness/cpuTimer.ts";

/** The source, the code, the sentence, and its number of allowed blocks (null: none named). */
const SAID: [who: string, code: number, message: string, blocks: number | null][] = [
	[
		"Alchemy",
		-32_602,
		"Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and " +
			"no limit on the response size, or you can request any block range with a cap of 10K logs in " +
			"the response. Based on your parameters and the response size limit, this block range should " +
			"work: [0xc5dc00, 0xc614a7]",
		0xc614a7 - 0xc5dc00 + 1,
	],
	[
		"Alchemy, free",
		-32_600,
		"Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based " +
			"on your parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG " +
			"for expanded block range.",
		10,
	],
	[
		"Alchemy",
		-32_000,
		"Query timeout exceeded. Consider reducing your block range. Based on your parameters and the " +
			"response size limit, this block range should work: [0x5223c98, 0x5223e80]",
		489,
	],
	[
		"Infura",
		-32_005,
		"query returned more than 10000 results. Try with this block range [0xCB3D, 0xCB40].",
		4,
	],
	["Infura", -32_005, "query returned more than 10000 results", null],
	["Infura", -32_602, "range 1000000 exceeds limit of 10000", 10_000],
	["QuickNode", -32_614, "eth_getLogs is limited to a 10,000 range", 10_000],
	["QuickNode, free", -32_614, "eth_getLogs is limited to a 5 range", 5],
	["Base", -32_614, "eth_getLogs is limited to a 2,000 range", 2_000],
	["proxyd", -32_000, "block range greater than 10000 max", 10_000],
	["proxyd", -32_000, "block range is too large", null],
	["proxyd", -32_020, "backend response too large", null],
	["Ankr", -32_600, "block range is too wide", null],
	[
		"Chainstack",
		-32_600,
		"Block range limit exceeded. See more details at https://x.example",
		null,
	],
	["dRPC", 35, "ranges over 10000 blocks are not supported on freetier", 10_000],
	["dRPC", 35, "ranges over 10000 blocks are not supported on free plan", 10_000],
	["dRPC", -32_000, "requested too many blocks from 0 to 16777216, maximum is set to 2048", 2_048],
	["BlockPI", -32_602, "eth_getLogs is limited to 1024 block range. Please check", 1_024],
	["1rpc", -32_602, "eth_getLogs is limited to 0 - 50 blocks range", 50],
	[
		"Cloudflare",
		-32_047,
		"Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
		800,
	],
	["PublicNode", -32_701, "exceed maximum block range: 50000", 50_000],
	["geth", -32_602, "exceed maximum block range", null],
	["reth", -32_602, "query exceeds max block range 100000", 100_000],
	["reth", -32_602, "query exceeds max results 20000, retry with the range 100-119", 20],
	["reth", -32_602, "query exceeds max results 20000", null],
	["nethermind", -32_005, "Too many logs requested. Max logs per response is 20000.", null],
	["Arbitrum", -32_000, "logs matched by query exceeds limit of 10000", null],
	[
		"Ronin",
		-32_602,
		"Invalid params: requested block range 16777217 exceeds the limit of 200",
		200,
	],
	["Tenderly", -32_602, "invalid params: range 9009594 is bigger than range limit 2000", 2_000],
	["Cronos", -32_000, "maximum [from, to] blocks distance: 2000", 2_000],
	[
		"Morph",
		-32_000,
		"block range is larger than max block range, block range = 5120, max block range = 5000",
		5_000,
	],
	["Simply", -32_000, "too wide blocks range, the limit is 100", 100],
	["Harmony", -32_000, "query must be smaller than size 1024", null],
	["BNB", -32_005, "please limit the query to at most 1000 blocks", 1_000],
	["thirdweb", -32_000, "Maximum allowed number of requested blocks is 3500", 3_500],
	["Merkle", -32_000, "eth_getLogs range is too large, max is 1k blocks", 1_000],
	["QuickNode", -32_602, "Requested range exceeds maximum RPC range limit", null],
];

test("[ING-08] what providers say about a range is known for that, and their limit is understood", () => {
	for (const [who, code, message, blocks] of SAID) {
		expect({ who, message, isRange: isRangeError({ code, message }) }).toEqual({
			who,
			message,
			isRange: true,
		});
		expect({ who, message, blocks: rangeBlocksMax(message) }).toEqual({ who, message, blocks });
	}
});

test("what no range could be is no limit", () => {
	for (const message of [
		"",
		"block range too large",
		"up to a 0 block range",
		"range should work: [0x20, 0x10]",
		"range should work: [0x0, 0xfffffffffffff]",
		"exceed maximum block range: 99999999999",
		"rate limit: 5",
	]) {
		expect({ message, blocks: rangeBlocksMax(message) }).toEqual({ message, blocks: null });
	}
});

test("whatever an endpoint writes, the answer is a number of blocks or nothing, and soon", () => {
	const words = fc.constantFrom(
		"block",
		"range",
		"limit",
		"max",
		"[0x",
		"9",
		",",
		" ",
		"1k",
		"up to a",
	);
	const texts = fc.oneof(
		fc.string(),
		fc.array(words, { maxLength: 400 }).map((all) => all.join("")),
	);
	fc.assert(
		fc.property(texts, (text) => {
			const blocks = rangeBlocksMax(text);
			if (blocks === null) return;
			expect(Number.isSafeInteger(blocks)).toBe(true);
			expect(blocks).toBeGreaterThan(0);
		}),
	);
	const cpuMs = cpuTimer();
	rangeBlocksMax("limit range ".repeat(100_000));
	expect(cpuMs()).toBeLessThan(500);
});
