import type { Figure, Reading } from "#test/bench/Figure.ts";
import type { Delays } from "#test/bench/measure/measureDelays.ts";
import { percentile, spread } from "#test/bench/report/statistics.ts";

const BARE = "bare script";
const P50_MS_MAX = 10;
const P95_MS_MAX = 25;

/** At the head of a chain: how soon rows are stored, and subscribers have them. */
export const headFigures: readonly Figure[] = [
	{
		name: "first head rows after start",
		unit: "s",
		goal: { kind: "at_most", value: 1 },
		async measure(lab) {
			const { blocksBehind, lanesSeconds } = (await lab.backlog()).start;
			const note = `all rows of the newest block, from the lanes' start, ${blocksBehind} blocks behind`;
			return { value: lanesSeconds, note };
		},
	},
	{
		name: "first head rows from process start",
		unit: "s",
		goal: null,
		async measure(lab) {
			const { headRowsSeconds, servingSeconds } = (await lab.backlog()).start;
			const serving = servingSeconds.toFixed(2);
			const note = `the same rows stored and HTTP answering; serving after ${serving} s`;
			return { value: headRowsSeconds, note };
		},
	},
	delayFigure({ name: "mined to frame p50", percent: 50, msMax: P50_MS_MAX, when: "live" }),
	delayFigure({ name: "mined to frame p95", percent: 95, msMax: P95_MS_MAX, when: "live" }),
	delayFigure({
		name: "mined to frame p50 during backfill",
		percent: 50,
		msMax: P50_MS_MAX,
		when: "backlog",
	}),
	delayFigure({
		name: "mined to frame p95 during backfill",
		percent: 95,
		msMax: P95_MS_MAX,
		when: "backlog",
	}),
	farFigure({ name: "sales mined to frame at 50 ms", what: "sales", msMax: 65 }),
	farFigure({ name: "mints mined to frame at 50 ms", what: "mints", msMax: 120 }),
	farFigure({ name: "reorg of depth 3 at 50 ms", what: "reorgs", msMax: 170 }),
	{
		name: "reorg of depth 3",
		unit: "ms",
		goal: { kind: "at_most", value: 200 },
		async measure(lab) {
			const { delaysMs, fromAnswerMs } = await lab.reorgs();
			const note =
				`p95 from before anvil_reorg to the last retraction and new event; p50 ` +
				`${percentile(delaysMs, 50).toFixed(1)}, from its answer p95 ` +
				`${percentile(fromAnswerMs, 95).toFixed(1)}; ${spread(delaysMs)}`;
			return { value: percentile(delaysMs, 95), note };
		},
	},
];

function delayFigure(row: {
	name: string;
	percent: number;
	msMax: number;
	when: "live" | "backlog";
}): Figure {
	const { name, percent, msMax, when } = row;
	return {
		name,
		unit: "ms",
		goal: { kind: "at_most", value: msMax },
		async measure(lab): Promise<Reading> {
			const backlog = when === "backlog" ? await lab.backlog() : null;
			const measured = backlog?.delays ?? (await lab.live());
			const bare = backlog?.bare ?? (await lab.bareLive());
			const answered = (delays: Delays) => percentile(delays.fromAnswerMs, percent).toFixed(1);
			const note =
				`last frame of ${measured.delaysMs.length} blocks of 20 sales, from before evm_mine; ` +
				`from its answer ${answered(measured)}, bare ${answered(bare)}` +
				(backlog ? `; ${(backlog.owedShare * 100).toFixed(0)} % still owed at the end` : "");
			return {
				value: percentile(measured.delaysMs, percent),
				reference: { value: percentile(bare.delaysMs, percent), of: BARE },
				note,
			};
		},
	};
}

/** Makes a figure at the slow end; half of the round trip is a block's head on its way. */
function farFigure(row: {
	name: string;
	what: "sales" | "mints" | "reorgs";
	msMax: number;
}): Figure {
	const { name, what, msMax } = row;
	return {
		name,
		unit: "ms",
		goal: { kind: "at_most", value: msMax },
		async measure(lab) {
			const { delaysMs } = await lab.far(what);
			const value = percentile(delaysMs, 95);
			const p50 = percentile(delaysMs, 50).toFixed(1);
			return { value, note: `p95 of ${delaysMs.length}; p50 ${p50}; ${spread(delaysMs)}` };
		},
	};
}
