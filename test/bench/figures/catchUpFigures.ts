import type { Figure } from "#test/bench/Figure.ts";
import type { CatchUp } from "#test/bench/measure/runCatchUp.ts";
import type { Floor } from "#test/bench/reference/runFloor.ts";
import { pairedRatio } from "#test/bench/report/pairedRatio.ts";
import { median, spread } from "#test/bench/report/statistics.ts";

const FLOOR = "bare floor";

/** From an empty database to the last row of 1,001 blocks, beside the bare floor. */
export const catchUpFigures: readonly Figure[] = [
	{
		name: "catch-up rows/s",
		unit: "rows/s",
		goal: { kind: "at_least", value: 25_000 },
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
