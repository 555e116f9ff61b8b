import { expect, test } from "bun:test";
import { isBatchRefusal } from "#core/chain/rpc/isBatchRefusal.ts";

const REFUSED: [who: string, code: number, message: string][] = [
	["geth", -32_600, "batch too large"],
	["erigon", -32_000, "batch limit 100 exceeded: 142 requests given"],
	["nethermind", -32_005, "Batch size limit exceeded"],
	["besu", -32_600, "Number of requests in batch exceeds --rpc-max-batch-size."],
	["reth", -32_010, "The batch request was too large: Exceeded max limit of 50"],
	["reth without batches", -32_005, "Batched requests are not supported by this server"],
	["proxyd", -32_014, "over batch size limit"],
	["dRPC", 31, "Batch of more than 3 requests are not allowed on free plan"],
	["no words at all", -32_600, "Invalid Request"],
	["reth", -32_007, "Request is too big"],
	["nginx behind JSON", -32_000, "Request Entity Too Large"],
];

const OTHERWISE: [code: number, message: string][] = [
	[-32_600, "You can make eth_getLogs requests with up to a 500 block range."],
	[-32_600, "block range is too wide"],
	[-32_005, "limit exceeded"],
	[-32_000, "unknown block"],
	[-32_000, "backend response too large"],
	[-32_000, "response is too big"],
	[-32_000, "no batch of that name"],
];

test("[ING-14] a batch that is too much for a node is told from a range that is", () => {
	for (const [who, code, message] of REFUSED) {
		expect({ who, message, is: isBatchRefusal({ code, message }) }).toEqual({
			who,
			message,
			is: true,
		});
	}
	for (const [code, message] of OTHERWISE) {
		expect({ message, is: isBatchRefusal({ code, message }) }).toEqual({ message, is: false });
	}
});
