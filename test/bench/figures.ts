import type { Figure } from "#test/bench/Figure.ts";
import { median, percentile, spread } from "#test/bench/report/statistics.ts";

/**
 * Everything the bench prints, in its order. A new figure is a new entry here, and a new method of
 * the lab where it needs a measurement that no other figure takes.
 */
export const figures: readonly Figure[] = [
	{
		name: "catch-up rows/s",
		unit: "rows/s",
		goal: { kind: "at_least", value: 8_000 },
		async measure(lab) {
			const runs = await lab.catchUps();
			const rates = runs.map(({ rows, laneSeconds }) => rows / laneSeconds);
			return { value: median(rates), note: `from the lanes' start; ${spread(rates)}` };
		},
	},
	{
		name: "catch-up seconds from process start",
		unit: "s",
		goal: null,
		async measure(lab) {
			const runs = await lab.catchUps();
			const seconds = runs.map(({ processSeconds }) => processSeconds);
			const serving = median(runs.map(({ servingSeconds }) => servingSeconds)).toFixed(2);
			const note = `initdb and migrations included; serving after ${serving} s; ${spread(seconds)}`;
			return { value: median(seconds), note };
		},
	},
	{
		name: "catch-up first rows",
		unit: "s",
		goal: null,
		async measure(lab) {
			const seconds = (await lab.catchUps()).map(({ firstRowsSeconds }) => firstRowsSeconds);
			return { value: median(seconds), note: `from the lanes' start; ${spread(seconds)}` };
		},
	},
	{
		name: "floor rows/s",
		unit: "rows/s",
		goal: null,
		async measure(lab) {
			const runs = await lab.floors();
			const rates = runs.map(({ rows, seconds }) => rows / seconds);
			return { value: median(rates), note: `bare script, same run; ${spread(rates)}` };
		},
	},
	{
		name: "catch-up / floor",
		unit: "ratio",
		goal: null,
		async measure(lab) {
			const ours = (await lab.catchUps()).map(({ rows, laneSeconds }) => rows / laneSeconds);
			const floor = (await lab.floors()).map(({ rows, seconds }) => rows / seconds);
			return { value: median(ours) / median(floor), note: "medians of the same run" };
		},
	},
	{
		name: "rpc requests",
		unit: "requests",
		goal: { kind: "at_most", value: 100 },
		async measure(lab) {
			const { counts } = await lab.observedCatchUp();
			const methods = Object.entries(counts.methods).map(([name, calls]) => `${name} ${calls}`);
			const megabytes = (counts.bytes / 1e6).toFixed(1);
			return {
				value: counts.requests,
				note: `${counts.calls} calls, ${megabytes} MB answered (${methods.join(", ")})`,
			};
		},
	},
	{
		name: "floor rpc requests",
		unit: "requests",
		goal: null,
		async measure(lab) {
			const [run] = await lab.floors();
			const { requests = 0, calls = 0, bytes = 0 } = run ?? {};
			return { value: requests, note: `${calls} calls, ${(bytes / 1e6).toFixed(1)} MB answered` };
		},
	},
	{
		name: "peak memory service",
		unit: "MB",
		goal: { kind: "at_most", value: 300 },
		async measure(lab) {
			const peaks = (await lab.catchUps()).map(({ peakMb }) => peakMb);
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
	{
		name: "mined to frame p50",
		unit: "ms",
		goal: null,
		async measure(lab) {
			const { delaysMs, fromAnswerMs } = await lab.live();
			const answered = percentile(fromAnswerMs, 50).toFixed(1);
			const note = `last frame of a block, from before evm_mine; from its answer ${answered}`;
			return { value: percentile(delaysMs, 50), note };
		},
	},
	{
		name: "mined to frame p95",
		unit: "ms",
		goal: { kind: "at_most", value: 60 },
		async measure(lab) {
			const { delaysMs, fromAnswerMs } = await lab.live();
			const answered = percentile(fromAnswerMs, 95).toFixed(1);
			const note = `${delaysMs.length} blocks of 20 sales; from evm_mine's answer ${answered}`;
			return { value: percentile(delaysMs, 95), note };
		},
	},
	{
		name: "bare mined to frame p50",
		unit: "ms",
		goal: null,
		async measure(lab) {
			const { delaysMs, fromAnswerMs } = await lab.bareLive();
			const answered = percentile(fromAnswerMs, 50).toFixed(1);
			const note = `head, getLogs, publish; no database; from evm_mine's answer ${answered}`;
			return { value: percentile(delaysMs, 50), note };
		},
	},
	{
		name: "bare mined to frame p95",
		unit: "ms",
		goal: null,
		async measure(lab) {
			const { delaysMs, fromAnswerMs } = await lab.bareLive();
			const answered = percentile(fromAnswerMs, 95).toFixed(1);
			return { value: percentile(delaysMs, 95), note: `from evm_mine's answer ${answered}` };
		},
	},
];
