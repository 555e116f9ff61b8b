import type { Figure } from "#test/bench/Figure.ts";
import { BURST_TOKENS } from "#test/bench/measure/runMetadataBurst.ts";

const RANK_MS_MAX = 20;
const BURST_MB_MAX = 250;

/** What tokens cost: their ranks, and a collection of them all at once. */
export const tokenFigures: readonly Figure[] = [
	{
		name: "rank 10,000 tokens",
		unit: "ms",
		goal: { kind: "at_most", value: RANK_MS_MAX },
		async measure(lab) {
			const { p50Ms, worstMs, turns } = await lab.ranking();
			const spread = `median of ${turns}, the slowest ${worstMs.toFixed(1)}`;
			return { value: p50Ms, note: `10 traits each; ${spread}` };
		},
	},
	{
		name: "metadata burst tokens/s",
		unit: "tokens/s",
		goal: null,
		async measure(lab) {
			const { tokensPerSecond, seconds } = await lab.metadataBurst();
			const note = `${BURST_TOKENS} documents of a local gateway, in ${seconds.toFixed(1)} s`;
			return { value: tokensPerSecond, note };
		},
	},
	{
		name: "metadata burst peak memory",
		unit: "MB",
		goal: { kind: "at_most", value: BURST_MB_MAX },
		async measure(lab) {
			const { peakMb, idleMb } = await lab.metadataBurst();
			return {
				value: peakMb,
				note: `of the reading process; ${idleMb.toFixed(0)} before it began`,
			};
		},
	},
];
