// Lists the figures of bridges, economics, intents and trades.

import type { Figure } from "#test/bench/Figure.ts";
import {
	INTENT_OWNERS,
	INTENTS_IN_FLIGHT,
	type IntentSide,
	type Shares,
	type TimedCommand,
	TRADE_OWNERS,
	TRADES_IN_FLIGHT,
} from "#test/bench/measure/runIntents.ts";
import {
	PARALLEL_AT_ONCE,
	PARALLEL_TURNS,
	SETTLED_BLOCK_MS,
	SETTLED_PER_SECOND,
} from "#test/bench/measure/runSettlement.ts";
import { median, percentile, spread } from "#test/bench/statistics.ts";

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

const P50_MS_MAX = 2;
const RATIO_MAX = 1.5;

/** What the token's economics cost, and that they cost no more the longer the token lives. */
export const economicsFigures: readonly Figure[] = [
	{
		name: "token economics p50",
		unit: "ms",
		goal: { kind: "at_most", value: P50_MS_MAX },
		async measure(lab) {
			const { served, fresh, events } = await lab.economics();
			const note =
				`${served.calls} calls of a ledger of ${events.large} events, whose rows are read once a ` +
				`second for everybody; p99 ${served.large.p99Ms.toFixed(2)}; with rows read for each ` +
				`p50 ${fresh.large.p50Ms.toFixed(2)}`;
			return { value: served.large.p50Ms, note };
		},
	},
	{
		name: "token economics p99, a million / ten thousand",
		unit: "ratio",
		goal: { kind: "at_most", value: RATIO_MAX },
		async measure(lab) {
			const { calls, small, large, p50Ratio, p99Ratio } = (await lab.economics()).fresh;
			const p99 = `p99 ${large.p99Ms.toFixed(1)} of ${small.p99Ms.toFixed(1)} ms`;
			const note = `${p99}, p50 ratio ${p50Ratio.toFixed(2)}; ${calls} calls, rows read for each`;
			return { value: p99Ratio, note };
		},
	},
];

const BARE = "bare script";
const SUBMITTED_P95_MS_MAX = 30;
const INTENTS_PER_SECOND_MIN = 200;
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
		goal: { kind: "at_least", value: INTENTS_PER_SECOND_MIN },
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

const QUOTES_P95_MS_MAX = 40;
const FIRST_STEP_P95_MS_MAX = 30;
const TRADES_PER_SECOND_MIN = 50;

const p95 = (values: readonly number[]) => percentile(values, 95);
const p50 = (values: readonly number[]) => percentile(values, 50);
/** Returns a trade's time without its quotes. */
const onTopMs = ({ tradeMs, quoteMs }: TimedCommand) => p95(tradeMs) - p95(quoteMs);
/**
 * Returns the time from its owner's yes, or from the command where none is asked: the slower of the
 * two.
 */
const firstStepMs = (one: TimedCommand) => Math.max(onTopMs(one), p95(one.confirmMs));

/** Stock tokens: from a command to both quotes, and to its first step handed over. */
export const tradeFigures: readonly Figure[] = [
	{
		name: "command to both quotes p95",
		unit: "ms",
		goal: { kind: "at_most", value: QUOTES_P95_MS_MAX },
		async measure(lab) {
			const { commands } = await lab.trades();
			const value = Math.max(...commands.map(({ quoteMs }) => p95(quoteMs)));
			const note =
				`the slowest of ${commands.length} commands, one at a time, by HTTP, with balance, bounds and ` +
				`both sources on this machine; p50 and p95 of each: ` +
				eachOf(commands, ({ quoteMs }) => pair(quoteMs));
			return { value, note };
		},
	},
	{
		name: "confirmed command to first step p95",
		unit: "ms",
		goal: { kind: "at_most", value: FIRST_STEP_P95_MS_MAX },
		async measure(lab) {
			const { commands } = await lab.trades();
			const value = Math.max(...commands.map(firstStepMs));
			const note =
				"on top of the quotes, until allowance or swap is submitted; the slowest command, and the " +
				"slower of the owner's yes (p50 and p95) and a trade that asks nobody: " +
				eachOf(commands, (one) => `${pair(one.confirmMs)}, +${onTopMs(one).toFixed(0)}`);
			return { value, note };
		},
	},
	{
		name: "trades submitted/s",
		unit: "trades/s",
		goal: { kind: "at_least", value: TRADES_PER_SECOND_MIN },
		async measure(lab) {
			const { crowd, shares, settled } = await lab.trades();
			const note =
				`${TRADES_IN_FLIGHT} in flight of ${TRADE_OWNERS} wallets, quotes included; p95 ` +
				`${p95(crowd.delaysMs).toFixed(0)} ms; CPU ms a trade: ${sharesText(shares)}, beside the ` +
				`hosted router; all ${settled} trades confirmed with one swap each`;
			return { value: crowd.perSecond, note };
		},
	},
];

/** Returns the shares of the processor as text, for a note. */
function sharesText({ service, postgres, custody, node, asking }: Shares): string {
	const parts = { service, PostgreSQL: postgres, "wallet provider": custody, node, asking };
	return Object.entries(parts)
		.map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
		.join(", ");
}

function middleOf({ delaysMs }: IntentSide): string {
	return `p50 ${percentile(delaysMs, 50).toFixed(1)}`;
}

function pair(values: readonly number[]): string {
	return `${p50(values).toFixed(0)}/${p95(values).toFixed(0)}`;
}

function eachOf(commands: readonly TimedCommand[], text: (one: TimedCommand) => string): string {
	return commands.map((one) => `${one.command} ${text(one)}`).join("; ");
}
