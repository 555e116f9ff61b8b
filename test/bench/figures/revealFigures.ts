import type { Figure } from "#test/bench/Figure.ts";
import { REVEALED_AT_ONCE } from "#test/bench/measure/runManyReveals.ts";
import { percentile } from "#test/bench/report/statistics.ts";

const SUBSCRIBED_P95_MS_MAX = 25;
const PROBED_P95_MS_MAX = 400;
const FILL_P95_MS_MAX = 30;

/** From a reveal's block to a plan's first buy. Reading and ranking are in `tokenFigures`. */
export const revealFigures: readonly Figure[] = [
	{
		name: "reveal noticed by subscription p95",
		unit: "ms",
		goal: { kind: "at_most", value: SUBSCRIBED_P95_MS_MAX },
		measure: async (lab) => noticed((await lab.detections()).bySubscriptionMs),
	},
	{
		name: "reveal noticed by block probe p95",
		unit: "ms",
		goal: { kind: "at_most", value: PROBED_P95_MS_MAX },
		measure: async (lab) => noticed((await lab.detections()).byBlockMs),
	},
	{
		name: "reveal ranks to first fill p95",
		unit: "ms",
		goal: { kind: "at_most", value: FILL_P95_MS_MAX },
		async measure(lab) {
			const { delaysMs, providerMs } = await lab.planFills();
			const note =
				`${delaysMs.length} reveals, until the wallet provider has the buy; ` +
				`p50 ${percentile(delaysMs, 50).toFixed(1)}; the marketplace's answers, ` +
				`p50 ${percentile(providerMs, 50).toFixed(1)} ms for two, are taken off`;
			return { value: percentile(delaysMs, 95), note };
		},
	},
	{
		name: "reveals in one block, plans starved or beyond their budget",
		unit: "plans",
		goal: { kind: "at_most", value: 0 },
		async measure(lab) {
			const { plans, fills, starved, exceeded, ...times } = await lab.manyReveals();
			const { firstFillsS, allFillsS, perMinute } = times;
			const note =
				`${plans} plans for ${REVEALED_AT_ONCE} collections, ${perMinute} fulfilments a minute: ` +
				`${fills} fills; each plan had its first after ${firstFillsS.toFixed(0)} s at most, ` +
				`all theirs after ${allFillsS.toFixed(0)} s, by a clock that runs 20 times as fast`;
			return { value: starved + exceeded, note };
		},
	},
	{
		name: "reveal of 10,000 tokens, block to submitted",
		unit: "s",
		goal: null,
		isByName: true,
		async measure(lab) {
			const { detectedMs, rankedMs, submittedMs } = await lab.wholeReveal();
			const note =
				`the whole sandbox on one machine: noticed after ${detectedMs} ms, all tokens read, ` +
				`counted and ranked after ${(rankedMs / 1_000).toFixed(2)} s`;
			return { value: submittedMs / 1_000, note };
		},
	},
];

function noticed(delaysMs: readonly number[]) {
	const note =
		`${delaysMs.length} reveals, from before evm_mine until it is stored, documents included; ` +
		`p50 ${percentile(delaysMs, 50).toFixed(0)}, worst ${Math.max(...delaysMs).toFixed(0)}; ` +
		"a block each 100 ms; service and documents share a process";
	return { value: percentile(delaysMs, 95), note };
}
