import type { Figure } from "#test/bench/Figure.ts";
import {
	INTENT_OWNERS,
	INTENTS_IN_FLIGHT,
	type IntentSide,
	type Shares,
} from "#test/bench/measure/runIntents.ts";
import { percentile, spread } from "#test/bench/report/statistics.ts";

const BARE = "bare script";
const SUBMITTED_P95_MS_MAX = 30;
const PER_SECOND_MIN = 200;
/** A hundredth of what an intent takes at that rate. */
const AUDIT_MS_MAX = 0.5;

/** The path that money leaves by, up to where the wallet provider has it and we know. */
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

function sharesText({ service, postgres, custody, node, asking }: Shares): string {
	const parts = { service, PostgreSQL: postgres, "wallet provider": custody, node, asking };
	return Object.entries(parts)
		.map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
		.join(", ");
}
