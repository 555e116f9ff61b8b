// Lists the figures of catching up, of the head, and of recovery.

import type { Figure, Reading } from "#test/bench/Figure.ts";
import type { Delays } from "#test/bench/measure/openYoungService.ts";
import type { CatchUp } from "#test/bench/measure/runCatchUp.ts";
import type { Recovery } from "#test/bench/measure/runReorgs.ts";
import type { Floor } from "#test/bench/reference/runFloor.ts";
import { median, pairedRatio, percentile, spread } from "#test/bench/statistics.ts";

const FLOOR = "bare floor";

/** From an empty database to the last row of 1,001 blocks, beside the bare floor. */
export const catchUpFigures: readonly Figure[] = [
	{
		name: "catch-up rows/s",
		unit: "rows/s",
		goal: null,
		async measure(lab) {
			const pairs = await lab.catchUps();
			const rates = pairs.map(({ service: { rows, laneSeconds } }) => rows / laneSeconds);
			const floors = pairs.map(({ floor: { rows, seconds } }) => rows / seconds);
			return {
				value: median(rates),
				reference: { value: median(floors), of: FLOOR },
				note: `from the lanes' start; ${spread(rates)}; floor ${spread(floors)}`,
			};
		},
	},
	{
		name: "catch-up / floor",
		unit: "ratio",
		goal: { kind: "at_least", value: 0.75 },
		async measure(lab) {
			const { value, ratios } = pairedRatio(
				(await lab.catchUps()).map(({ service, floor }) => ({
					ours: service.rows / service.laneSeconds,
					theirs: floor.rows / floor.seconds,
				})),
			);
			const [last] = (await lab.catchUps()).slice(-1);
			const cpu = last ? `; last run's CPU: ${billText(last)}` : "";
			return { value, note: `median over runs paired in time; ${spread(ratios)}${cpu}` };
		},
	},
	{
		name: "catch-up seconds from process start",
		unit: "s",
		goal: null,
		async measure(lab) {
			const runs = (await lab.catchUps()).map(({ service }) => service);
			const seconds = runs.map(({ processSeconds }) => processSeconds);
			const serving = median(runs.map(({ servingSeconds }) => servingSeconds)).toFixed(2);
			const first = median(runs.map(({ firstRowsSeconds }) => firstRowsSeconds)).toFixed(2);
			const note =
				`initdb and migrations included; serving after ${serving} s, first rows ${first} s after ` +
				`the lanes' start; ${spread(seconds)}`;
			return { value: median(seconds), note };
		},
	},
	{
		name: "rpc requests",
		unit: "requests",
		goal: { kind: "at_most", value: 60 },
		async measure(lab) {
			const { counts } = await lab.observedCatchUp();
			const [pair] = await lab.catchUps();
			const { requests = Number.NaN, calls = 0, bytes = 0 } = pair?.floor ?? {};
			const methods = Object.entries(counts.methods).map(([name, count]) => `${name} ${count}`);
			return {
				value: counts.requests,
				reference: { value: requests, of: FLOOR },
				note:
					`${counts.calls} calls, ${megabytes(counts.bytes)} answered (${methods.join(", ")}); ` +
					`floor ${calls} calls, ${megabytes(bytes)}`,
			};
		},
	},
	{
		name: "peak memory service",
		unit: "MB",
		goal: { kind: "at_most", value: 200 },
		async measure(lab) {
			const peaks = (await lab.catchUps()).map(({ service }) => service.peakMb);
			return { value: Math.max(...peaks), note: `VmHWM after catching up; ${spread(peaks)}` };
		},
	},
	{
		name: "peak memory with PostgreSQL",
		unit: "MB",
		goal: null,
		async measure(lab) {
			const { treePeakMb } = await lab.observedCatchUp();
			return { value: treePeakMb, note: "PSS of service, watchdog and server, sampled" };
		},
	},
];

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

/** After `kill -9`, with blocks mined meanwhile: the slowest of a few turns. */
export const recoveryFigures: readonly Figure[] = [
	{
		name: "kill -9 of the service",
		unit: "s",
		goal: { kind: "at_most", value: 3 },
		async measure(lab) {
			const { service } = await lab.recoveries();
			return { value: slowest(service), note: `started again at once; ${described(service)}` };
		},
	},
	{
		name: "kill -9 of the postmaster",
		unit: "s",
		goal: { kind: "at_most", value: 6 },
		async measure(lab) {
			const { server } = await lab.recoveries();
			const restarts = server.filter(({ serviceEnded }) => serviceEnded).length;
			const who = restarts === 0 ? "the service recovers by itself" : `restarted ${restarts} times`;
			return { value: slowest(server), note: `${who}; ${described(server)}` };
		},
	},
];

/** Returns which part used the processor: on two cores the sum is the limit. */
function billText({ service, floor }: { service: CatchUp; floor: Floor }): string {
	const { program, compiling, collecting, postgres, node } = service.cpu;
	const s = (seconds: number) => `${seconds.toFixed(2)} s`;
	return (
		`service ${s(program)}, its compiler ${s(compiling)}, its collector ${s(collecting)}, ` +
		`PostgreSQL ${s(postgres)}, node ${s(node)}; floor's script ${s(floor.cpuSeconds)}`
	);
}

function megabytes(bytes: number): string {
	return `${(bytes / 1e6).toFixed(1)} MB`;
}

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

function slowest(turns: readonly Recovery[]): number {
	return Math.max(...turns.map(({ seconds }) => seconds));
}

function described(turns: readonly Recovery[]): string {
	const ready = median(turns.map(({ readySeconds }) => readySeconds)).toFixed(2);
	return (
		`slowest of serving and caught up, nothing lost or doubled; ready after ${ready} s; ` +
		spread(turns.map(({ seconds }) => seconds))
	);
}
