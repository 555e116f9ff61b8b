import type { Metrics } from "#core/metrics/createMetrics.ts";

type LaneLabels = { chain: string; lane: string };

export type ScannerMetrics = {
	indexed(labels: LaneLabels, progress: { block: number; head: number; rows: number }): void;
	failed(labels: LaneLabels, code: string): void;
	/** Counts owed blocks that are given up. */
	gaveUp(labels: LaneLabels, blocks: number): void;
	/** Counts what happened to a log, or to a block's logs, that a node pushed. */
	pushed(labels: LaneLabels, fate: string): void;
	/** Counts a reorg whose blocks were removed. */
	reorg(chain: string, depth: number): void;
};

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
