// Offers the agent's tools for trades.

import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import {
	type AnyTool,
	defineTool,
	type Order,
	type ToolAnswer,
	type ToolContext,
} from "#core/plugin/Tool.ts";
import type { TradeAsked, Trades } from "#plugins/trading/trade/createTrades.ts";
import {
	type QuoteView,
	quoteView,
	quoteViewSchema,
	saidSwap,
	type TradeView,
	tradePageSchema,
	tradeSchema,
	tradeSentence,
} from "#plugins/trading/trade/renderTrade.ts";
import {
	SETTLEMENT_DEFAULT,
	type TradeWish,
	wishOfParts,
} from "#plugins/trading/trade/tradeBody.ts";
import {
	channelOf,
	endOfIntent,
	intentSentence,
	periodInput,
	requirePeriod,
	TOOL_ROUTE,
	type Wallets,
} from "#plugins/wallets/contract.ts";

type TradeToolsDeps = {
	trades: Trades;
	wallets: Pick<Wallets, "principalOf">;
	clock: Clock;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

type Effect = "execute" | "prepare";

const OWN = { capability: "trading", access: "profile" } as const;
const LISTED = 10;

const STANDS = { confirm: "confirmation_required", sign: "signature_required" } as const;

const SHARES: Readonly<Record<string, number>> = { all: 100, half: 50 };

const what = z.string().min(1).max(64).meta({ description: "A ticker, or an address." });
const figure = z.string().min(1).max(64);
const settled = what.optional().meta({
	description: `What it is paid with, or paid out in; ${SETTLEMENT_DEFAULT} unless given.`,
});
const quantity = figure.optional().meta({ description: "How many tokens, as a plain decimal." });
const shares = figure.optional().meta({ description: "In place of a quantity: how many shares." });
const spend = figure.optional().meta({ description: "In place of a quantity: how much to spend." });
const part = {
	percent: z
		.string()
		.regex(/^([1-9][0-9]?|100)$/)
		.optional()
		.meta({ description: "So much of what the wallet holds, 1 to 100." }),
	share: z.enum(["all", "half"]).optional().meta({ description: "All or half of what it holds." }),
};
const buyInput = z.strictObject({ asset: what, quantity, shares, spend, settlement: settled });
const sellInput = z.strictObject({ asset: what, quantity, shares, ...part, settlement: settled });
const quoteInput = z.strictObject({
	action: z.enum(["buy", "sell"]).meta({ description: "What would be done." }),
	...{ asset: what, quantity, shares, spend, ...part, settlement: settled },
});
const byId = z.strictObject({ id: z.uuid().meta({ description: "A trade's id." }) });

/**
 * Returns the agent's tools for trades: they execute an author's own words at once, and ask by a
 * link for all other callers.
 */
export function tradeTools(deps: TradeToolsDeps): AnyTool[] {
	return [
		...(["execute", "prepare"] as const).flatMap((effect) => [
			buyTool(deps, effect),
			sellTool(deps, effect),
		]),
		holdTool(deps),
		quoteTool(deps),
		listTool(deps),
		readTool(deps),
		cancelTool(deps),
	];
}

/** Returns the wish of a tool's input. Throws where an amount is missing, or there are two. */
function wishOf(input: z.output<typeof quoteInput>): TradeWish {
	const { share: named, percent: text, ...parts } = input;
	const whole = named === undefined ? text && Number(text) : SHARES[named];
	return wishOfParts({ ...parts, ...(typeof whole === "number" && { percent: whole }) });
}

function buyTool(deps: TradeToolsDeps, effect: Effect): AnyTool {
	const isPrepared = effect === "prepare";
	const name = isPrepared ? "prepare_buy_stock" : "buy_stock";
	return defineTool({
		...{ ...OWN, name, effect, output: tradeSchema },
		title: isPrepared ? "Prepare a buy of a stock" : "Buy a stock",
		description: isPrepared
			? "Prepares the buy of a stock token and returns the link by which you say yes. Nothing is " +
				"sent before that."
			: "Buys a stock token at the better of two quotes, within your limits. Where it must not go " +
				"at once, the answer has the link by which you say yes or sign.",
		input: buyInput,
		run: (input, context) => {
			const wish = wishOf({ action: "buy", ...input });
			return traded(deps, { wish, name, isPrepared, context });
		},
		...lines,
		order: orderOf(deps),
	});
}

function sellTool(deps: TradeToolsDeps, effect: Effect): AnyTool {
	const isPrepared = effect === "prepare";
	const name = isPrepared ? "prepare_sell_stock" : "sell_stock";
	return defineTool({
		...{ ...OWN, name, effect, output: tradeSchema },
		title: isPrepared ? "Prepare a sale of a stock" : "Sell a stock",
		description: isPrepared
			? "Prepares the sale of a stock token and returns the link by which you say yes. Nothing is " +
				"sent before that."
			: "Sells some or all of a stock token at the better of two quotes, within your limits. Where " +
				"it must not go at once, the answer has the link by which you say yes or sign.",
		input: sellInput,
		async run(values, context) {
			const { asset: of, settlement: _, ...amounts } = values;
			if (Object.values(amounts).some((one) => one !== undefined)) {
				const wish = wishOf({ action: "sell", ...values });
				return traded(deps, { wish, name, isPrepared, context });
			}
			const choices = ["all", "half"].map((value) => {
				return { value, label: `${value === "all" ? "All" : "Half"} of it` };
			});
			const question = `How much ${of} do you want to sell?`;
			return { kind: "choose", question, slot: "share", choices };
		},
		...lines,
		order: orderOf(deps),
	});
}

function holdTool(deps: TradeToolsDeps): AnyTool {
	const name = "hold_stock";
	return defineTool({
		...{ ...OWN, name, effect: "execute" as const, output: tradeSchema },
		title: "Hold a stock",
		description: "Notes that you hold a stock token. Nothing is sent.",
		input: z.strictObject({ asset: what }),
		run: ({ asset: of }, context) => {
			const wish: TradeWish = { kind: "hold", asset: of };
			return traded(deps, { wish, name, isPrepared: false, context });
		},
		...lines,
		order: orderOf(deps),
	});
}

function quoteTool({ trades, wallets }: TradeToolsDeps): AnyTool {
	return defineTool({
		...{ ...OWN, name: "quote_trade", effect: "read" as const, output: quoteViewSchema },
		title: "Quote a trade",
		description: "Returns what a trade of a stock token would give now. Nothing is stored or sent.",
		input: quoteInput,
		async run(input, { caller }) {
			const wish = wishOf(input);
			const principal = await wallets.principalOf(caller);
			const assessed = await trades.quote({ principal, wish, walletId: undefined });
			return { kind: "done", output: quoteView(assessed) };
		},
		line: quoteSentence,
		asOfMs: ({ quotes }) => {
			const [first] = quotes;
			return first ? Date.parse(first.askedAt) : null;
		},
	});
}

function quoteSentence(view: QuoteView): string {
	const { reason, divergenceBps, price } = view;
	const swap = saidSwap(view);
	if (!swap) return reason ?? "No quote.";
	const apart = divergenceBps === null ? "" : `, sources ${divergenceBps} bps apart`;
	const said = reason ?? price;
	const trouble = said === null ? "" : ` ${said}`;
	return `${swap.paid} gives ${swap.got}${apart}.${trouble}`;
}

function listTool({ trades, wallets, clock }: TradeToolsDeps): AnyTool {
	return defineTool({
		...{ ...OWN, name: "list_trades", effect: "read" as const },
		title: "Your trades",
		description:
			"Returns your newest trades, of a period if one is named, also those that were refused.",
		input: z.strictObject({ window: periodInput.optional() }),
		output: tradePageSchema.pick({ data: true }).extend({
			window: z.string().nullable().meta({ description: "What was asked for; null: all times." }),
		}),
		async run({ window }, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			const page = { profileId: profile.id, afterId: null, limit: LISTED };
			const period = window === undefined ? {} : { period: requirePeriod(window, clock.nowMs()) };
			const { items: data } = await trades.list({ ...page, ...period });
			return { kind: "done", output: { data, window: window ?? null } };
		},
		line({ data, window }) {
			const [newest] = data;
			if (!newest) return window === null ? "You have no trades yet." : `No trades in ${window}.`;
			const more = data.length > 1 ? ` ${data.length - 1} before it.` : "";
			return `Newest: ${lineOf(newest)}${more}`;
		},
		asOfMs: () => null,
	});
}

function readTool({ trades, wallets }: TradeToolsDeps): AnyTool {
	return defineTool({
		...{ ...OWN, name: "read_trade", effect: "read" as const, output: tradeSchema },
		title: "One of your trades",
		description:
			"Returns one of your trades by its id: what every source said, where it stands, and a new " +
			"link where it waits for your yes or signature.",
		input: byId,
		async run({ id: of }, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			const output = await trades.show(profile, of.toLowerCase(), { isLinked: true });
			return { kind: "done", output };
		},
		...lines,
	});
}

function cancelTool(deps: TradeToolsDeps): AnyTool {
	const { trades, wallets } = deps;
	return defineTool({
		...{ ...OWN, name: "cancel_trade", effect: "execute" as const, output: tradeSchema },
		title: "Cancel a trade",
		description:
			"Calls off one of your trades that was not sent; one that was sent is cancelled by its nonce.",
		input: byId,
		async run({ id: of }, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			return { kind: "done", output: await trades.cancel(profile, of.toLowerCase()) };
		},
		...lines,
		order: orderOf(deps),
	});
}

/** Renders the trade of every tool that returns one. */
const lines = {
	line: lineOf,
	asOfMs: () => null,
	links: ({ link, asks, cancelUrl }: TradeView) => [
		...(link && asks ? [{ rel: asks, url: link.url }] : []),
		...(cancelUrl === null ? [] : [{ rel: "cancel" as const, url: cancelUrl }]),
	],
};

/** Returns how a tool that makes or cancels a trade is followed. */
function orderOf({ trades, wallets }: TradeToolsDeps): Order<TradeView> {
	return {
		idOf: ({ id }) => id,
		async read(id, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			return await trades.stand(profile, id);
		},
		end: (one) => endOfIntent(one),
	};
}

async function traded(
	{ trades, wallets }: TradeToolsDeps,
	given: { wish: TradeWish; name: string; isPrepared: boolean; context: ToolContext },
): Promise<ToolAnswer<TradeView>> {
	const { wish, name, isPrepared, context } = given;
	const { caller, idempotencyKey, text = null } = context;
	const asked: TradeAsked = {
		principal: await wallets.principalOf(caller),
		...{ wish, command: text, walletId: undefined, route: TOOL_ROUTE, idempotencyKey },
		...{ body: { tool: name, ...wish }, channel: channelOf(caller), asks: isPrepared },
	};
	const response = await trades.ask(asked);
	return { kind: "done", output: tradeSchema.parse(await response.json()) };
}

function lineOf(view: TradeView): string {
	const { errorCode, reason, price, asks } = view;
	// Behind a step that asks, it is that yes or signature which the trade waits for.
	const status = asks === null ? view.status : STANDS[asks];
	const isCalledOff = errorCode === "cancelled";
	// Where its owner is asked, the figures are what they are asked about.
	const said = isCalledOff ? null : (reason ?? (asks === "confirm" ? price : null));
	const why = said === null ? "" : ` ${said}`;
	if (view.kind === "hold" && status === "confirmed") return `${tradeSentence(view)} is noted.`;
	// The reason says the code in words.
	const code = reason === null || isCalledOff ? errorCode : null;
	return `${tradeSentence(view)} ${intentSentence(status, code)}.${why}`.slice(0, 160);
}
