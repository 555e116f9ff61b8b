import type { TradeWish } from "#plugins/trading/trade/tradeBody.ts";

const usdg = { settlement: "USDG" };
const tokens = { unit: "tokens" } as const;
const shares = { unit: "shares" } as const;
/** Texts of commands, with the wish that each means. */
export const WISHES: readonly [string, TradeWish][] = [
	["buy $TSLA with 50 USDG", { kind: "buy_with", asset: "TSLA", spend: "50", settlement: "USDG" }],
	["buy tsla with 0.05 eth", { kind: "buy_with", asset: "TSLA", spend: "0.05", settlement: "ETH" }],
	[
		"BUY AAPL WITH 1.25 WETH",
		{ kind: "buy_with", asset: "AAPL", spend: "1.25", settlement: "WETH" },
	],
	["buy 2 AAPL", { kind: "buy", asset: "AAPL", quantity: "2", ...tokens, ...usdg }],
	["buy 0.5 $aapl", { kind: "buy", asset: "AAPL", quantity: "0.5", ...tokens, ...usdg }],
	["sell 2 AAPL", { kind: "sell", asset: "AAPL", quantity: "2", ...tokens, ...usdg }],
	[
		"sell 2 of my AAPL to ETH",
		{ kind: "sell", asset: "AAPL", quantity: "2", ...tokens, settlement: "ETH" },
	],
	["sell half AAPL", { kind: "sell_share", asset: "AAPL", percent: 50, ...usdg }],
	["sell all of my TSLA", { kind: "sell_share", asset: "TSLA", percent: 100, ...usdg }],
	[
		"sell 25% of TSLA to WETH",
		{ kind: "sell_share", asset: "TSLA", percent: 25, settlement: "WETH" },
	],
	["sell 100% my $TSLA", { kind: "sell_share", asset: "TSLA", percent: 100, ...usdg }],
	["buy 6 shares TSLA", { kind: "buy", asset: "TSLA", quantity: "6", ...shares, ...usdg }],
	["buy 0.5 shares of $tsla", { kind: "buy", asset: "TSLA", quantity: "0.5", ...shares, ...usdg }],
	["buy 1 share TSLA", { kind: "buy", asset: "TSLA", quantity: "1", ...shares, ...usdg }],
	["sell 6 shares TSLA", { kind: "sell", asset: "TSLA", quantity: "6", ...shares, ...usdg }],
	[
		"sell 6 shares of my TSLA to ETH",
		{ kind: "sell", asset: "TSLA", quantity: "6", ...shares, settlement: "ETH" },
	],
	["buy 6 $SHARES", { kind: "buy", asset: "SHARES", quantity: "6", ...tokens, ...usdg }],
	["hold $NVDA", { kind: "hold", asset: "NVDA" }],
	[
		`sell 1 0x${"ab".repeat(20)}`,
		{ kind: "sell", asset: `0x${"ab".repeat(20)}`, quantity: "1", ...tokens, ...usdg },
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
	"buy 6 shares",
	"sell 6 shares",
	"sell 6 shares to ETH",
	"sell half shares TSLA",
	"buy shares TSLA",
	"buy 6 shares TSLA with ETH",
	"buy 1 TSLA sell 1 AAPL",
	"sell 1 TSLA to ETH to USDG",
	"buy 1 \u0422SLA",
	"buy 1 TSLA\u200b",
	"buy １ TSLA",
	"buy\t1 TSLA",
];
