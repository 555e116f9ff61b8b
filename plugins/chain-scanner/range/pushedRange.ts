import type { Head } from "#core/chain/heads/Head.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import { blocksOf } from "#plugins/chain-scanner/range/blocksOf.ts";
import type { LogRange } from "#plugins/chain-scanner/range/LogRange.ts";
import { logBytes } from "#plugins/chain-scanner/range/logBytes.ts";

/** Returns one block's pushed logs in the shape of an answer about that block. */
export function pushedRange(head: Head, logs: RawLog[], unsettledFrom: number): LogRange {
	const { number, timestampMs } = head;
	return {
		logs,
		headers: [head],
		...blocksOf([head], { from: number, to: number }, unsettledFrom),
		logCount: logs.length,
		answerBytes: logBytes(logs),
		blockTimeMs: new Map([[number, timestampMs]]),
	};
}
