import type { RawLog } from "#core/chain/Hex.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { LaneKind } from "#plugins/chain-scanner/contract.ts";

/** Where a lane reports unreadable logs. */
export type UndecodedReport = {
	undecoded(lane: LaneKind, log: RawLog, problem: string): void;
	noise(lane: LaneKind, count: number): void;
};

/** Contracts remembered as already logged; one that emits garbage forever is one line. */
const NAMED_MAX = 10_000;

/**
 * Makes a report that counts every log that does not decode, and logs each contract and problem
 * once.
 */
export function undecodedReport(options: {
	chain: string;
	metrics: Metrics;
	log: Log;
}): UndecodedReport {
	const { chain, metrics, log } = options;
	const named = new Set<string>();
	const undecoded = metrics.counter({
		name: "logs_undecoded_total",
		help: "Logs that had a known topic and could not be read.",
		labels: ["chain", "lane"],
	});
	const noise = metrics.counter({
		name: "logs_noise_total",
		help: "ERC-20 mints that share the mint lane's topic.",
		labels: ["chain", "lane"],
	});
	return {
		undecoded(lane, raw, problem) {
			undecoded.inc({ chain, lane });
			// Numbers differ from log to log, and would make each a line of its own.
			const key = `${raw.address} ${problem.replace(/\d+/g, "#")}`;
			if (named.has(key) || named.size >= NAMED_MAX) return;
			named.add(key);
			log.warn("a log does not decode", {
				lane,
				problem,
				contract: raw.address,
				block: Number(raw.blockNumber),
				logIndex: Number(raw.logIndex),
				transaction: raw.transactionHash,
			});
		},
		noise(lane, count) {
			if (count > 0) noise.inc({ chain, lane }, count);
		},
	};
}
