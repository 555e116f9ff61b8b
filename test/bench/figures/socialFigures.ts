import type { Figure } from "#test/bench/Figure.ts";
import { FLOOD_PER_SECOND, FLOOD_SECONDS } from "#test/bench/measure/runSocial.ts";
import { percentile } from "#test/bench/report/statistics.ts";

const REPLY_MS_MAX = 50;
const COMMAND_MS_MAX = 25;
const MEMORY_MB_MAX = 250;

/**
 * The agent on X: how soon it answers, and how much it can handle. X is emulated, and costs little.
 */
export const socialFigures: readonly Figure[] = [
	{
		name: "mention to reply p95",
		unit: "ms",
		goal: { kind: "at_most", value: REPLY_MS_MAX },
		async measure(lab) {
			const { replyMs } = await lab.social();
			const note =
				`${replyMs.length} mentions, one at a time, from the signed delivery's start until X has the ` +
				`answer; p50 ${percentile(replyMs, 50).toFixed(0)}`;
			return { value: percentile(replyMs, 95), note };
		},
	},
	{
		name: "mentioned command, beyond its kind, p95",
		unit: "ms",
		goal: { kind: "at_most", value: COMMAND_MS_MAX },
		async measure(lab) {
			const { commandMs, kindMs } = await lab.social();
			const [all, own] = [commandMs, kindMs].map((times) => percentile(times, 95));
			const note =
				`${commandMs.length} sends by mention, one at a time, until X has the answer that says ` +
				`submitted: ${all?.toFixed(0)}; ${kindMs.length} by HTTP until submitted: ${own?.toFixed(0)}`;
			return { value: (all ?? 0) - (own ?? 0), note };
		},
	},
	{
		name: "mentions lost in a flood",
		unit: "mentions",
		goal: { kind: "at_most", value: 0 },
		async measure(lab) {
			const { flood } = await lab.social();
			const { sent, seconds, answered, left, lastMs } = flood;
			const note =
				`${sent} of ${FLOOD_PER_SECOND * FLOOD_SECONDS} mentions in ${seconds.toFixed(1)} s, of ` +
				`${FLOOD_PER_SECOND}/s for ${FLOOD_SECONDS} s; ${answered} answered, ${left} left with a ` +
				`reason, the last ${(lastMs / 1_000).toFixed(1)} s after the last mention`;
			return { value: sent - answered - left, note };
		},
	},
	{
		name: "social peak memory",
		unit: "MB",
		goal: { kind: "at_most", value: MEMORY_MB_MAX },
		async measure(lab) {
			const { peakMb, startMb } = (await lab.social()).memory;
			const note = `VmHWM of the service after all of that; ${startMb.toFixed(0)} before`;
			return { value: peakMb, note };
		},
	},
];
