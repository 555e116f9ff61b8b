import type { Figure } from "#test/bench/Figure.ts";
import { BURST_TOKENS } from "#test/bench/measure/runMetadataBurst.ts";

const RANK_MS_MAX = 15;
const BURST_PER_SECOND_MIN = 2_000;
const BURST_MB_MAX = 250;

/** The cost of tokens: their ranks, and a whole collection at once. */
export const tokenFigures: readonly Figure[] = [
	{
		name: "rank 10,000 tokens",
		unit: "ms",
		goal: { kind: "at_most", value: RANK_MS_MAX },
		async measure(lab) {
			const { service, bare, turns, peakMb, idleMb } = await lab.ranking();
			const { p50Ms, leastMs, worstMs } = service;
			const spread = `median of ${turns}, ${leastMs.toFixed(1)} to ${worstMs.toFixed(1)}`;
			const memory = `peak of the process ${peakMb.toFixed(0)} MB, ${idleMb.toFixed(0)} before`;
			return {
				value: p50Ms,
				reference: { value: bare.p50Ms, of: "bare script" },
				note: `10 traits each, every text a new one; ${spread}; ${memory}`,
			};
		},
	},
	{
		name: "metadata burst tokens/s",
		unit: "tokens/s",
		goal: { kind: "at_least", value: BURST_PER_SECOND_MIN },
		async measure(lab) {
			const { tokensPerSecond, barePerSecond, seconds } = await lab.metadataBurst();
			const note =
				`${BURST_TOKENS} documents of a local gateway, counted and ranked, in ` +
				`${seconds.toFixed(1)} s; the script fetches and inserts without a guard`;
			return {
				value: tokensPerSecond,
				reference: { value: barePerSecond, of: "bare script" },
				note,
			};
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
