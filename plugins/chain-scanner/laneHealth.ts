// Says how lanes do: which fail, how far each has come, what they cannot read, and their metrics.

import type { RawLog } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { LaneKind, LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { PROGRESS_AGE_MAX_MS } from "#plugins/chain-scanner/limits.ts";
import { type Cursor, readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { countUnread } from "#plugins/chain-scanner/sql/gap.ts";

/** The state of the lanes for `/readyz`. */
export type LaneHealth = {
	/** Marks a lane as not ready until it works for the first time, however long that takes. */
	awaits(lane: string): void;
	/** Records that the lane wrote something: earlier trouble is over. */
	worked(lane: string): void;
	failed(lane: string, code: string): void;
	/** Returns the lane that has been failing for longest, in words, or null where all is well. */
	trouble(): string | null;
};

export type ScannerMetrics = {
	indexed(labels: LaneLabels, progress: { block: number; head: number; rows: number }): void;
	failed(labels: LaneLabels, code: string): void;
	/** Counts missing blocks that are given up. */
	gaveUp(labels: LaneLabels, blocks: number): void;
	/** Counts what happened to a log, or to a block's logs, that a node pushed. */
	pushed(labels: LaneLabels, fate: string): void;
	/** Counts a reorg whose blocks were removed. */
	reorg(chain: string, depth: number): void;
};

type LaneLabels = { chain: string; lane: string };

/** Reports logs that a lane could not read. */
export type UndecodedReport = {
	undecoded(lane: LaneKind, log: RawLog, problem: string): void;
	noise(lane: LaneKind, count: number): void;
	/** Counts ids that one log minted beyond those that became rows. */
	unlisted(lane: LaneKind, log: RawLog, ids: bigint): void;
};

/** A lane that fails for longer than this is in trouble. */
const FAILING_MS = 60_000;
/** Failures that no lane recovers from by itself are trouble at once. */
const ALARMS = new Set(["reorg_too_deep"]);
/** The time without a new failure after which a lane counts as working again. */
const FAILS_AGAIN_MS = 30_000;

/** Limits what one log adds to the count: it may claim 2^256 ids. */
const UNLISTED_COUNTED_MAX = 1_000_000;

/** How long a count of unread blocks is used, and lanes that are named. */
const UNREAD_AGE_MAX_MS = 10_000;
const UNREAD_LANES_MAX = 20;

/** Contracts remembered as already logged; one that emits garbage forever is one line. */
const NAMED_MAX = 10_000;

/**
 * Returns a reader of lane progress from the database, so that a process without lanes can answer
 * for them; a crowd of requests costs one read a second for each lane.
 */
export function laneProgress(db: Database, clock: Clock) {
	const kept = new Map<string, { readAtMs: number; progress: Promise<LaneProgress> }>();
	return (chainId: number, lane: LaneKind, tx?: Tx): Promise<LaneProgress> => {
		if (tx)
			return readCursor(tx, chainId, lane).then((cursor) => progressOf(chainId, lane, cursor));
		const key = `${chainId}:${lane}`;
		const known = kept.get(key);
		const nowMs = clock.nowMs();
		if (known && nowMs - known.readAtMs < PROGRESS_AGE_MAX_MS) return known.progress;
		const read = readCursor(db, chainId, lane);
		const progress = read.then((cursor) => progressOf(chainId, lane, cursor));
		kept.set(key, { readAtMs: nowMs, progress });
		progress.catch(() => kept.delete(key));
		return progress;
	};
}

/**
 * Makes the report of blocks that no reading made sense of, for `/readyz`: any process tells it,
 * from the database. An answer is used for ten seconds, as anybody may ask.
 */
export function unreadBlocks({
	db,
	clock,
	chains,
}: Pick<Core, "db" | "clock" | "chains">): () => Promise<Degradation[]> {
	let kept: { readAtMs: number; found: Promise<Degradation[]> } | null = null;
	const read = async () => {
		const nowMs = clock.nowMs();
		const lanes = (await countUnread(db)).slice(0, UNREAD_LANES_MAX);
		return lanes.map(({ chainId, lane, blocks, sinceAt }) => {
			const chain = chains.byId(chainId)?.slug ?? String(chainId);
			return {
				code: "blocks_unread",
				count: blocks,
				oldestAgeSeconds: Math.max(0, Math.floor((nowMs - sinceAt.getTime()) / 1_000)),
				action:
					`The ${lane} lane of ${chain} owes blocks that no endpoint answers soundly: ` +
					"svc gaps lists them with why, svc gaps --retry reads them again.",
			};
		});
	};
	return () => {
		const nowMs = clock.nowMs();
		if (!kept || Math.abs(nowMs - kept.readAtMs) >= UNREAD_AGE_MAX_MS) {
			const found = read();
			kept = { readAtMs: nowMs, found };
			found.catch(() => {
				kept = null;
			});
		}
		return kept.found;
	};
}

/** Makes the memory of which lanes fail, and since when. */
export function createLaneHealth(clock: Clock): LaneHealth {
	const failing = new Map<string, { sinceMs: number; lastMs: number; code: string }>();
	const awaited = new Set<string>();
	return {
		awaits: (lane) => void awaited.add(lane),
		worked(lane) {
			failing.delete(lane);
			awaited.delete(lane);
		},
		failed(lane, code) {
			const nowMs = clock.nowMs();
			const known = failing.get(lane);
			const goesOn = known && nowMs - known.lastMs < FAILS_AGAIN_MS;
			failing.set(lane, { sinceMs: goesOn ? known.sinceMs : nowMs, lastMs: nowMs, code });
		},
		trouble() {
			const nowMs = clock.nowMs();
			const [first] = awaited;
			if (first !== undefined) {
				const code = failing.get(first)?.code;
				return `${first} has not been heard yet${code ? ` (${code})` : ""}`;
			}
			const [worst] = [...failing]
				.filter(([, { sinceMs, lastMs, code }]) => {
					const isLong = nowMs - sinceMs >= FAILING_MS || ALARMS.has(code);
					return isLong && nowMs - lastMs < FAILS_AGAIN_MS;
				})
				.sort(([, a], [, b]) => a.sinceMs - b.sinceMs);
			if (!worst) return null;
			const [lane, { sinceMs, code }] = worst;
			return `${lane} has failed for ${Math.floor((nowMs - sinceMs) / 1_000)} s (${code})`;
		},
	};
}

/** Registers the metrics of the lanes. */
export function scannerMetrics(metrics: Metrics): ScannerMetrics {
	const labels = ["chain", "lane"];
	const block = metrics.gauge({
		name: "index_block",
		help: "Newest block that is wholly in the index.",
		labels,
	});
	const head = metrics.gauge({
		name: "index_head_block",
		help: "Newest block of the chain that the lane knows of.",
		labels,
	});
	const events = metrics.counter({
		name: "index_events_total",
		help: "Mints and sales that lanes wrote.",
		labels,
	});
	const failures = metrics.counter({
		name: "lane_failures_total",
		help: "Lane runs that ended early, by what went wrong.",
		labels: [...labels, "code"],
	});
	const reorgs = metrics.counter({
		name: "index_reorgs_total",
		help: "Forks that were repaired.",
		labels: ["chain"],
	});
	const depths = metrics.counter({
		name: "index_reorged_blocks_total",
		help: "Blocks that left the chain and were taken out.",
		labels: ["chain"],
	});
	const givenUp = metrics.counter({
		name: "backfill_given_up_blocks_total",
		help: "Blocks that were owed and lay too far below the head to be read.",
		labels,
	});
	const pushes = metrics.counter({
		name: "lane_pushed_logs_total",
		help: "Logs, or blocks of them, that nodes pushed, by what became of them.",
		labels: [...labels, "fate"],
	});
	return {
		pushed: (of, fate) => pushes.inc({ ...of, fate }),
		gaveUp: (of, blocks) => givenUp.inc(of, blocks),
		reorg(chain, depth) {
			reorgs.inc({ chain });
			depths.inc({ chain }, depth);
		},
		indexed(of, progress) {
			block.set(of, progress.block);
			head.set(of, progress.head);
			if (progress.rows > 0) events.inc(of, progress.rows);
		},
		failed(of, code) {
			failures.inc({ ...of, code });
		},
	};
}

/**
 * Returns the progress: level with the head it covers all until it was so; else until the time of
 * its block.
 */
function progressOf(chainId: number, lane: LaneKind, cursor: Cursor | null): LaneProgress {
	if (!cursor) {
		const unknown = { headBlock: null, indexedBlock: null, indexedAtMs: null, owes: false };
		return { chainId, lane, ...unknown, coveredFromMs: null, coveredUntilMs: null };
	}
	const { headBlock, blockNumber, indexedAtMs, owes, sinceMs, untilMs, levelAtMs } = cursor;
	const isLevel = blockNumber >= headBlock;
	const lookedAtMs = Math.max(indexedAtMs, levelAtMs ?? indexedAtMs);
	return {
		chainId,
		lane,
		headBlock,
		indexedBlock: blockNumber,
		indexedAtMs,
		owes,
		coveredFromMs: sinceMs,
		coveredUntilMs: isLevel && untilMs !== null ? Math.max(untilMs, lookedAtMs) : untilMs,
	};
}

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
	const unlisted = metrics.counter({
		name: "mints_unlisted_total",
		help: "Ids of consecutive mints beyond those that became rows; a million of one log at most.",
		labels: ["chain", "lane"],
	});
	/** Writes one line for each contract and problem, however often it has it. */
	function name(raw: RawLog, given: { message: string; lane: LaneKind; problem: string }): void {
		const { message, lane, problem } = given;
		// Numbers differ from log to log, and would make each a line of its own.
		const key = `${raw.address} ${problem.replace(/\d+/g, "#")}`;
		if (named.has(key) || named.size >= NAMED_MAX) return;
		named.add(key);
		log.warn(message, {
			lane,
			problem,
			contract: raw.address,
			block: Number(raw.blockNumber),
			logIndex: Number(raw.logIndex),
			transaction: raw.transactionHash,
		});
	}
	return {
		undecoded(lane, raw, problem) {
			undecoded.inc({ chain, lane });
			name(raw, { message: "a log does not decode", lane, problem });
		},
		unlisted(lane, raw, ids) {
			unlisted.inc({ chain, lane }, Math.min(Number(ids), UNLISTED_COUNTED_MAX));
			const problem = `${ids} ids without rows`;
			name(raw, { message: "a log mints more than is listed", lane, problem });
		},
		noise(lane, count) {
			if (count > 0) noise.inc({ chain, lane }, count);
		},
	};
}
