import type { TradeWish } from "#plugins/trading/trade/tradeBody.ts";

const usdg = { settlement: "USDG" };
/** Texts of commands, with the wish that each means. */
export const WISHES: readonly [string, TradeWish][] = [
	["buy $TSLA with 50 USDG", { kind: "buy_with", asset: "TSLA", spend: "50", settlement: "USDG" }],
	["buy tsla with 0.05 eth", { kind: "buy_with", asset: "TSLA", spend: "0.05", settlement: "ETH" }],
	[
		"BUY AAPL WITH 1.25 WETH",
		{ kind: "buy_with", asset: "AAPL", spend: "1.25", settlement: "WETH" },
	],
	["buy 2 AAPL", { kind: "buy", asset: "AAPL", quantity: "2", ...usdg }],
	["buy 0.5 $aapl", { kind: "buy", asset: "AAPL", quantity: "0.5", ...usdg }],
	["sell 2 AAPL", { kind: "sell", asset: "AAPL", quantity: "2", ...usdg }],
	["sell 2 of my AAPL to ETH", { kind: "sell", asset: "AAPL", quantity: "2", settlement: "ETH" }],
	["sell half AAPL", { kind: "sell_share", asset: "AAPL", percent: 50, ...usdg }],
	["sell all of my TSLA", { kind: "sell_share", asset: "TSLA", percent: 100, ...usdg }],
	[
		"sell 25% of TSLA to WETH",
		{ kind: "sell_share", asset: "TSLA", percent: 25, settlement: "WETH" },
	],
	["sell 100% my $TSLA", { kind: "sell_share", asset: "TSLA", percent: 100, ...usdg }],
	["hold $NVDA", { kind: "hold", asset: "NVDA" }],
	[
		`sell 1 0x${"ab".repeat(20)}`,
		{ kind: "sell", asset: `0x${"ab".repeat(20)}`, quantity: "1", ...usdg },
	],
];
/** Texts that resemble a command but are none. */
export const NONE: readonly string[] = [
	`sell 1 0x${"Ab".repeat(20)}`,
	"",
	"buy",
	"buy TSLA",
	"buy TSLA 50",
	"buy TSLA with 50",
	"buy TSLA with USDG",
	"buy TSLA with .5 ETH",
	"buy TSLA with 05 ETH",
	"buy TSLA with 5. ETH",
	"buy 1 TSLA now",
	"buy 1 TSLA.",
	"buy one TSLA",
	"sell 0% TSLA",
	"sell 101% TSLA",
	"sell 2.5% TSLA",
	"sell % TSLA",
	"sell all all",
	"sell half",
	"hold",
	"hold 2 TSLA",
	"buy 1 TSLA sell 1 AAPL",
	"sell 1 TSLA to ETH to USDG",
	"buy 1 \u0422SLA",
	"buy 1 TSLA\u200b",
	"buy １ TSLA",
	"buy\t1 TSLA",
];
