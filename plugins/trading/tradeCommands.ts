// Declares the commands by which stock tokens are traded.

import type { Command } from "#core/plugin/Tool.ts";

const asset = { kind: "asset" } as const;
const amount = { kind: "amount" } as const;
const dollars = { kind: "amount", isDollars: true } as const;
const percent = { kind: "percent" } as const;
const settlement = { kind: "asset" } as const;
const share = { kind: "word", of: ["all", "half"] } as const;
const id = { kind: "id" } as const;

/** The commands for trading. `sell` without an amount is answered with a question for it. */
export const tradeCommands: readonly Command[] = [
	{
		name: "buy_stock_with",
		forms: ["buy {asset} with {spend} {settlement}"],
		slots: { asset, spend: amount, settlement },
		tool: "buy_stock",
		prepares: "prepare_buy_stock",
		summary: "buys a stock token with an amount of ETH, WETH or USDG",
		examples: ["buy $TSLA with 50 USDG"],
	},
	{
		name: "buy_dollars",
		forms: ["buy {spend} of {asset}", "buy {spend} [worth of] {asset}"],
		slots: { spend: dollars, asset },
		tool: "buy_stock",
		prepares: "prepare_buy_stock",
		summary: "buys a stock token with exactly that many USDG",
		examples: ["buy $50 of TSLA"],
	},
	{
		name: "buy_stock",
		forms: ["buy {quantity} {asset}"],
		slots: { quantity: amount, asset },
		tool: "buy_stock",
		prepares: "prepare_buy_stock",
		summary: "buys so many of a stock token, paid in USDG",
		examples: ["buy 2 AAPL"],
	},
	{
		name: "buy_shares",
		forms: [
			"buy {shares} shares {asset}",
			"buy {shares} (share|shares) [of] {asset}",
			"buy {shares} {asset} (share|shares)",
		],
		slots: { shares: amount, asset },
		tool: "buy_stock",
		prepares: "prepare_buy_stock",
		summary: "buys so many shares of a stock, by its token's multiplier, paid in USDG",
		examples: ["buy 6 shares TSLA"],
	},
	{
		name: "sell_shares",
		forms: [
			"sell {shares} shares {asset} [to {settlement}]",
			"sell {shares} (share|shares) [(of|my|of my)] {asset} [to {settlement}]",
			"sell {shares} [(of|my|of my)] {asset} (share|shares) [to {settlement}]",
		],
		slots: { shares: amount, asset, settlement },
		tool: "sell_stock",
		prepares: "prepare_sell_stock",
		summary: "sells so many shares of a stock, by its token's multiplier",
		examples: ["sell 6 shares TSLA"],
	},
	{
		name: "sell_stock",
		forms: [
			"sell ({quantity}|{percent}|{share}) {asset} [to {settlement}]",
			"sell ({quantity}|{percent}|{share}) (of|my|of my) {asset} [to {settlement}]",
			"sell {asset} [to {settlement}]",
			"sell my {asset} [to {settlement}]",
		],
		slots: { quantity: amount, percent, share, asset, settlement },
		tool: "sell_stock",
		prepares: "prepare_sell_stock",
		summary: "sells some or all of a stock token",
		examples: ["sell 2 AAPL", "sell half of my TSLA to ETH", "sell 25% NVDA"],
	},
	{
		name: "swap_stock",
		forms: [
			"swap ({quantity}|{percent}|{share}) {asset} to {settlement}",
			"swap ({quantity}|{percent}|{share}) [(of|my|of my)] {asset} (to|for|into) {settlement}",
		],
		slots: { quantity: amount, percent, share, asset, settlement },
		tool: "sell_stock",
		prepares: "prepare_sell_stock",
		summary: "sells one token and takes another for it, such as a stock for a stock",
		examples: ["swap 1 TSLA to AAPL"],
	},
	{
		name: "hold_stock",
		forms: ["hold {asset}"],
		slots: { asset },
		tool: "hold_stock",
		summary: "notes that you hold a stock token, and moves nothing",
		examples: ["hold AAPL"],
	},
	{
		name: "quote_buy_with",
		forms: ["quote buy {asset} with {spend} {settlement}"],
		slots: { asset, spend: amount, settlement },
		tool: "quote_trade",
		input: (values) => ({ action: "buy", ...values }),
		summary: "what an amount of ETH, WETH or USDG would buy now",
		examples: ["quote buy $TSLA with 50 USDG"],
	},
	{
		name: "quote_buy_dollars",
		forms: ["quote buy {spend} of {asset}", "quote buy {spend} [worth of] {asset}"],
		slots: { spend: dollars, asset },
		tool: "quote_trade",
		input: (values) => ({ action: "buy", ...values }),
		summary: "what exactly that many USDG would buy now",
		examples: ["quote buy $50 of TSLA"],
	},
	{
		name: "quote_buy",
		forms: ["quote buy {quantity} {asset}"],
		slots: { quantity: amount, asset },
		tool: "quote_trade",
		input: (values) => ({ action: "buy", ...values }),
		summary: "what so many of a stock token would cost now",
		examples: ["quote buy 2 AAPL"],
	},
	{
		name: "quote_buy_shares",
		forms: ["quote buy {shares} shares {asset}", "quote buy {shares} (share|shares) [of] {asset}"],
		slots: { shares: amount, asset },
		tool: "quote_trade",
		input: (values) => ({ action: "buy", ...values }),
		summary: "what so many shares of a stock would cost now",
		examples: ["quote buy 6 shares TSLA"],
	},
	{
		name: "quote_sell_shares",
		forms: [
			"quote sell {shares} shares {asset} [to {settlement}]",
			"quote sell {shares} (share|shares) [(of|my|of my)] {asset} [to {settlement}]",
		],
		slots: { shares: amount, asset, settlement },
		tool: "quote_trade",
		input: (values) => ({ action: "sell", ...values }),
		summary: "what a sale of so many shares would give now",
		examples: ["quote sell 6 shares TSLA"],
	},
	{
		name: "quote_sell",
		forms: [
			"quote sell ({quantity}|{percent}|{share}) {asset} [to {settlement}]",
			"quote sell ({quantity}|{percent}|{share}) (of|my|of my) {asset} [to {settlement}]",
		],
		slots: { quantity: amount, percent, share, asset, settlement },
		tool: "quote_trade",
		input: (values) => ({ action: "sell", ...values }),
		summary: "what a sale of a stock token would give now",
		examples: ["quote sell 2 AAPL"],
	},
	{
		name: "quote_swap",
		forms: [
			"quote swap ({quantity}|{percent}|{share}) {asset} to {settlement}",
			"quote swap ({quantity}|{percent}|{share}) [(of|my|of my)] {asset} (to|for|into) {settlement}",
		],
		slots: { quantity: amount, percent, share, asset, settlement },
		tool: "quote_trade",
		input: (values) => ({ action: "sell", ...values }),
		summary: "what one token would give of another now",
		examples: ["quote swap 1 TSLA to AAPL"],
	},
	{
		name: "my_trades",
		forms: [
			"my trades [{window}]",
			"trades",
			"my (last|latest|recent) (trade|trades) [went through]",
		],
		slots: { window: { kind: "period" } },
		tool: "list_trades",
		topic: {
			words: "my trades, my trade, my … trade, my … trades, my fills, my fill, did i trade".split(
				", ",
			),
			beside: "list, all, last, latest, recent, newest, show, what".split(", "),
			lists: 10,
			never: "ever nft nfts jpeg jpegs pfp pfps collection collections".split(" "),
			over: ["my_intents"],
		},
		summary: "your newest trades, also of a time, and those that were refused",
		examples: ["my trades", "my trades this week"],
	},
	{
		name: "trade",
		forms: ["trade {id}", "(show|read) trade {id}"],
		slots: { id },
		tool: "read_trade",
		summary: "one of your trades, and where it stands",
		examples: ["trade 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
	{
		name: "cancel_trade",
		forms: ["cancel trade {id}"],
		slots: { id },
		tool: "cancel_trade",
		summary: "calls off one of your trades",
		examples: ["cancel trade 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	},
];
