// Declares the commands about past prices of stock tokens, and how they moved.

import type { Command, Slot } from "#core/plugin/Tool.ts";

const asset = { kind: "asset" } as const;
const window: Slot = { kind: "period" };

const list = (text: string) => text.split(", ");

/** What says nothing more beside a price of then and now. */
const BESIDE =
	"share, shares, stock, stocks, token, tokens, tokenised, tokenized, price, prices, in percent, " +
	"one, percentage, percentage-wise, percent, in usd, usd, in dollars, dollars, compared with now, " +
	"compared to now, vs now, versus now, current, trading, it was, was it, than";

/** How a change is asked for; the answer says how much it is. */
const MOVED =
	"up or down, higher or lower, lower or higher, green or red, red or green, in the green, in the " +
	"red, going up, going down, gone up, gone down, went up, went down, go up, go down, go up or " +
	"down, moved, is … up, is … down, is … doing, how is … doing, hows … doing, how's … doing, how " +
	"did … do, how has … done, doing anything, doing today, change, changed, % today, today %, % " +
	"change, price change, percent change, day change, daily change, day move, high and low, hi and " +
	"lo, high low, hi lo, high/low, highs and lows, high or low, range, day range, trading range, " +
	"performance, pumping, dumping, mooning, tanking, crashing, rising, falling, up today, down " +
	"today, did … move, has … moved, has … changed, how much … moved, how far … moved, move, moves";

/** The commands about past prices of stock tokens. */
export const pastStockCommands: readonly Command[] = [
	{
		name: "past_stock",
		forms: ["stock {asset} {when}", "(stock price|price) (of|for) {asset} {when}"],
		slots: { asset, when: { kind: "period", isPast: true } },
		tool: "read_past_stock",
		input: ({ when, ...values }) => ({ ...values, window: when }),
		topic: {
			words: list(
				"stock, price, prices, worth, cost, share price, stock price, token price, trading at, was " +
					"trading at, was … at, what was … at, what was, was the price, was the price of, how much " +
					"was, price history, history, chart, price chart, what did … cost, was … worth, what " +
					"price … at, value, quote",
			),
			beside: list(BESIDE),
			over: ["stock", "stocks"],
			chain: "robinhood",
		},
		summary: "a stock token's price at a past time, beside that of now",
		examples: ["stock TSLA yesterday-utc", "price of AAPL 7d-ago"],
	},
	{
		name: "stock_change",
		forms: ["change {asset} [{window}]", "change (of|in) {asset} [{window}]"],
		slots: { asset, window },
		tool: "read_past_stock",
		topic: {
			words: list(MOVED),
			beside: list(
				`${BESIDE}, today, or, still, dead, since, how far, how much, much, day, the day`,
			),
			over: ["stock", "stocks", "past_stock", "holding"],
			chain: "robinhood",
		},
		summary: "how a stock token's price moved in a time; 24 hours unless one is named",
		examples: ["change TSLA 7d", "is $AAPL up or down today"],
	},
	{
		name: "compare_stocks",
		forms: ["compare stocks {asset} vs {other} [{window}]"],
		slots: { asset, other: asset, window },
		tool: "read_stock_comparison",
		topic: {
			words: list(
				"moved more, moved most, moved the most, did better, doing better, who's doing better, whos " +
					"doing better, who is doing better, who did better, done better, performed better, " +
					"performing better, better performer, who's up more, whos up more, up more, down more, " +
					"gained more, gained most, gained the most, gained, lost more, fell more, dropped more, " +
					"rose more, went up more, went down more, bigger move, bigger price move, outperforming, " +
					"outperformed, pumped more, dumped more, change, price change, performance, compare, " +
					"vs, versus, worse, did worse, doing worse",
			),
			beside: list(`${BESIDE}, one, which one, the one, has, price move, stronger, or`),
			over: ["stock", "stocks", "past_stock", "stock_change"],
			chain: "robinhood",
		},
		summary: "how two stock tokens moved in a time, side by side",
		examples: ["compare stocks NVDA vs AMD 7d", "which moved more, $NVDA or $AMD"],
	},
	{
		name: "stock_movers",
		forms: ["movers [{window}]"],
		slots: { window },
		tool: "read_stock_movers",
		topic: {
			words: list(
				"which stock moved, which stock moved most, which stock moved the most, which stocks moved, " +
					"which stocks moved most, which stocks moved the most, stocks moved the most, which of the " +
					"stocks moved the most, which of the stocks moved most, which stock … moved, stock moved " +
					"most, stock moved the most, biggest stock move, biggest stock moves, stocks moving most, " +
					"stocks moving the most, stock movers, stonk movers, biggest stock mover, biggest stock " +
					"movers, top stock movers, movers … stocks",
			),
			beside: list("top, most, the most, biggest, today, tokenised, tokenized, all, list"),
			over: ["stocks", "gainers", "losers", "trending", "discover"],
			lists: 10,
			chain: "robinhood",
		},
		summary: "stock tokens whose price changed most in a time; 24 hours unless one is named",
		examples: ["movers 24h", "which stock moved most today"],
	},
];
