import { hexQuantity } from "#core/chain/hexQuantity.ts";
import type { LogFilter } from "#core/chain/LogFilter.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { SAMPLED_BLOCKS } from "#plugins/chain-scanner/limits.ts";
import type { BlockLoad } from "#plugins/chain-scanner/range/LaneSource.ts";
import { logBytes } from "#plugins/chain-scanner/range/logBytes.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/**
 * Reads a few blocks of a range, to learn how many of them fit one answer; null where the node does
 * not answer. One small request instead of a large answer that has to be refused.
 */
export async function sampleLogs(
	rpc: Rpc,
	filters: readonly LogFilter[],
	range: BlockRange,
	signal: AbortSignal,
): Promise<BlockLoad | null> {
	const span = range.to - range.from;
	const numbers = Array.from({ length: SAMPLED_BLOCKS }, (_, index) => {
		return range.from + Math.floor((span * (index + 0.5)) / SAMPLED_BLOCKS);
	});
	const calls = numbers.flatMap((number) => {
		const block = hexQuantity(number);
		return filters.map((filter) => ({
			method: "eth_getLogs",
			params: [{ ...filter, fromBlock: block, toBlock: block }],
		}));
	});
	try {
		const answers = await rpc.batch(calls, { signal });
		const lists = answers.map((answer) => parseLogs(answer, range));
		return {
			blocks: SAMPLED_BLOCKS,
			logCount: Math.max(0, ...lists.map(({ length }) => length)),
			answerBytes: lists.reduce((bytes, list) => bytes + logBytes(list), 0),
		};
	} catch (error) {
		// The range itself is requested next, and its failure is the one that counts.
		if (error instanceof Fault) return null;
		throw error;
	}
}
