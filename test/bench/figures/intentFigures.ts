import type { Figure } from "#test/bench/Figure.ts";
import {
	INTENT_OWNERS,
	INTENTS_IN_FLIGHT,
	type IntentSide,
	type Shares,
} from "#test/bench/measure/runIntents.ts";
import { PARALLEL_AT_ONCE, PARALLEL_TURNS } from "#test/bench/measure/runParallel.ts";
import { SETTLED_BLOCK_MS, SETTLED_PER_SECOND } from "#test/bench/measure/runSettlement.ts";
import { percentile, spread } from "#test/bench/report/statistics.ts";

const BARE = "bare script";
const SUBMITTED_P95_MS_MAX = 30;
const PER_SECOND_MIN = 200;
const SETTLED_P95_MS_MAX = 250;
const PARALLEL_MS_MAX = 1_500;
/** A hundredth of an intent's time at that rate. */
const AUDIT_MS_MAX = 0.5;

/** The execution path, up to the wallet provider's answer. */
export const intentFigures: readonly Figure[] = [
	{
		name: "intent to submitted p95",
		unit: "ms",
		goal: { kind: "at_most", value: SUBMITTED_P95_MS_MAX },
		async measure(lab) {
			const { service, bare } = await lab.intents();
			const crowd = percentile(service.crowdDelaysMs, 95).toFixed(0);
			const note =
				`${service.delaysMs.length} wallet transfers, one at a time, from the request's start until ` +
				`its answer; ${middleOf(service)}, ${BARE} ${middleOf(bare)}; ` +
				`with ${INTENTS_IN_FLIGHT} in flight p95 ${crowd}`;
			return {
				value: percentile(service.delaysMs, 95),
				reference: { value: percentile(bare.delaysMs, 95), of: BARE },
				note,
			};
		},
	},
	{
		name: "intents submitted/s",
		unit: "intents/s",
		goal: { kind: "at_least", value: PER_SECOND_MIN },
		async measure(lab) {
			const { service, bare, settled, settledSeconds } = await lab.intents();
			const note =
				`${INTENTS_IN_FLIGHT} in flight of ${INTENT_OWNERS} wallets; ${spread(service.rates)}; ` +
				`CPU ms an intent: ${sharesText(service.shares)}; ${BARE}: ${sharesText(bare.shares)}; ` +
				`all ${settled} paid once and confirmed in ${settledSeconds.toFixed(1)} s, books balance`;
			return { value: service.perSecond, reference: { value: bare.perSecond, of: BARE }, note };
		},
	},
	{
		name: "mined to confirmed p95",
		unit: "ms",
		goal: { kind: "at_most", value: SETTLED_P95_MS_MAX },
		async measure(lab) {
			const { settlement } = await lab.intents();
			const { delaysMs, perSecond } = settlement;
			const note =
				`${delaysMs.length} intents, ${perSecond.toFixed(0)} of ${SETTLED_PER_SECOND} a second ` +
				`submitted, a block each ${SETTLED_BLOCK_MS} ms; from before its block was mined until ` +
				`the database shows it; p50 ${percentile(delaysMs, 50).toFixed(0)}, ` +
				`p99 ${percentile(delaysMs, 99).toFixed(0)}`;
			return { value: percentile(delaysMs, 95), note };
		},
	},
	{
		name: "ten transfers of one wallet",
		unit: "ms",
		goal: { kind: "at_most", value: PARALLEL_MS_MAX },
		async measure(lab) {
			const { delaysMs } = (await lab.intents()).parallel;
			const note =
				`${PARALLEL_AT_ONCE} requests at once, until all are submitted; the slowest of ` +
				`${PARALLEL_TURNS} turns, p50 ${percentile(delaysMs, 50).toFixed(0)}`;
			return { value: Math.max(...delaysMs), note };
		},
	},
	{
		name: "audit roots of an intent",
		unit: "ms",
		goal: { kind: "at_most", value: AUDIT_MS_MAX },
		async measure(lab) {
			const { audit, settled } = await lab.intents();
			const note =
				`hashing and storing what ${settled} intents wrote, behind them, by the clock of a busy ` +
				`machine: ${audit.rows.toFixed(1)} rows and ${audit.bytes.toFixed(0)} bytes an intent; ` +
				`proving all of it takes ${audit.verifyMs.toFixed(2)} ms an intent`;
			return { value: audit.sealMs, note };
		},
	},
];

function middleOf({ delaysMs }: IntentSide): string {
	return `p50 ${percentile(delaysMs, 50).toFixed(1)}`;
}

/** Returns the shares of the processor as text, for a note. */
export function sharesText({ service, postgres, custody, node, asking }: Shares): string {
	const parts = { service, PostgreSQL: postgres, "wallet provider": custody, node, asking };
	return Object.entries(parts)
		.map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
		.join(", ");
}
