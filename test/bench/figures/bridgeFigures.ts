import type { Figure } from "#test/bench/Figure.ts";
import { median, percentile } from "#test/bench/report/statistics.ts";

const TURNS_MAX = 2;
const WEBHOOK_P95_MS_MAX = 20;
const QUOTE_P95_MS_MAX = 30;

/**
 * Bridges: the turns of polls, how soon news is in the record, and how long a stored quote takes.
 */
export const bridgeFigures: readonly Figure[] = [
	{
		name: "bridge poll, slowest",
		unit: "turns",
		goal: { kind: "at_most", value: TURNS_MAX },
		async measure(lab) {
			const { open, turnMs, slowestMs } = (await lab.bridges()).polls;
			const note =
				`${open} open bridges on a clock of their own, within the provider's limits; a turn is ` +
				`${(turnMs / 1_000).toFixed(0)} s, the longest wait ${(slowestMs / 1_000).toFixed(0)} s`;
			return { value: slowestMs / turnMs, note };
		},
	},
	{
		name: "bridge webhook to state p95",
		unit: "ms",
		goal: { kind: "at_most", value: WEBHOOK_P95_MS_MAX },
		async measure(lab) {
			const { webhookMs } = await lab.bridges();
			const note =
				`${webhookMs.length} fills, one at a time: from the post until the row says success, with the ` +
				`provider asked and the chain read; p50 ${percentile(webhookMs, 50).toFixed(1)}`;
			return { value: percentile(webhookMs, 95), note };
		},
	},
	{
		name: "bridge command to quote p95",
		unit: "ms",
		goal: { kind: "at_most", value: QUOTE_P95_MS_MAX },
		async measure(lab) {
			const { commandMs, providerMs } = await lab.bridges();
			const own = median(providerMs);
			const note =
				`${commandMs.length} commands, one at a time, from the request's start until its answer with ` +
				`the stored quote, less the ${own.toFixed(1)} ms of the provider; with it p50 ${percentile(commandMs, 50).toFixed(1)}`;
			return { value: percentile(commandMs, 95) - own, note };
		},
	},
];
