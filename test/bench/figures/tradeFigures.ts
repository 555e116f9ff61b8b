import type { Figure } from "#test/bench/Figure.ts";
import { sharesText } from "#test/bench/figures/intentFigures.ts";
import {
	type TimedCommand,
	TRADE_OWNERS,
	TRADES_IN_FLIGHT,
} from "#test/bench/measure/runTrades.ts";
import { percentile } from "#test/bench/report/statistics.ts";

const QUOTES_P95_MS_MAX = 40;
const FIRST_STEP_P95_MS_MAX = 30;
const PER_SECOND_MIN = 50;

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
		goal: { kind: "at_least", value: PER_SECOND_MIN },
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

function pair(values: readonly number[]): string {
	return `${p50(values).toFixed(0)}/${p95(values).toFixed(0)}`;
}

function eachOf(commands: readonly TimedCommand[], text: (one: TimedCommand) => string): string {
	return commands.map((one) => `${one.command} ${text(one)}`).join("; ");
}
