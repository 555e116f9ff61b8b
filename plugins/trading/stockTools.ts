// Offers the agent's tools and commands about stock tokens, and finds them by name.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import {
	type AnyTool,
	type Command,
	defineTool,
	type KnownName,
	type NameBook,
	type ToolAnswer,
} from "#core/plugin/Tool.ts";
import { registryFault } from "#plugins/trading/faults.ts";
import type { References } from "#plugins/trading/prices/createReference.ts";
import { type Asset, type Assets, assetOf } from "#plugins/trading/registry/createAssets.ts";
import { renderStockToken, stockTokenSchema } from "#plugins/trading/renderAsset.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";

type StockToolsDeps = {
	core: { db: Queryable; clock: Clock };
	chain: Chain;
	assets: Pick<Assets, "find">;
	reference: Pick<References, "last">;
};

const ENDING =
	/\s+(?:inc|corp|corporation|company|co|ltd|plc|holdings|group|platforms|class [a-c]|common stock|stock|etf|token)\.?$/;

/** Limits the tickers that the line names; `data` has all. */
const NAMED_IN_LINE = 12;

export const assetInput = z
	.string()
	.min(1)
	.max(64)
	.meta({ description: "A ticker, with or without $, or an address.", examples: ["TSLA"] });

export const stockCommands: readonly Command[] = [
	{
		name: "stocks",
		forms: [
			"stocks",
			"(list|all|list all) [of] [the] [(tokenized|tokenised)] (stocks|equities|shares) [available]",
			"(tokenized|tokenised) stocks",
		],
		slots: {},
		tool: "list_stock_tokens",
		topic: {
			words: (
				"stonks, stonk, what stonks, which stonks, stocks, stock, tokens, equities, tickers, which stock, which stocks, what stocks, " +
				"stock tokens, tokenized stock, tokenized stocks, tokenised stocks, hood chain, tokenised " +
				"stock, which tokenised stocks, which tokenized stocks, what tokenised stocks, what " +
				"tokenized stocks, stocks … available, tokenised stocks … available, tokenized stocks … " +
				"available, available stocks, stocks trade, stocks i can buy, stocks … " +
				"can i buy, stocks … can i trade, stocks i can trade, all the stocks, all stocks, " +
				"all the tokenised stocks, all tokenised stocks, all the tokenized stocks, all tokenized " +
				"stocks, list of stocks, list of all stocks, list of tokenised stocks, list of tokenized " +
				"stocks, list of the stocks, stock list, tokenised equities, tokenized equities, " +
				"tokenised shares, tokenized shares, stocks … support, stocks … supported, supported " +
				"stocks, stocks … list, stocks … listed, stocks … offer, stock tokens … available, " +
				"all stock tokens, all the stock tokens, stock tickers"
			).split(", "),
			beside: (
				"list, all, do you cover, do you support, do you have, do you offer, do you trade, you cover, " +
				"you support, you have, you offer, available, tradable, full, complete, names, tokenised, " +
				"tokenized, token"
			).split(", "),
			chain: "robinhood",
		},
		summary: "stock tokens that are traded here",
		examples: ["stocks"],
	},
	{
		name: "stock",
		forms: ["stock {asset}", "stock price (of|for) {asset}"],
		slots: { asset: { kind: "asset" } },
		tool: "read_stock_token",
		topic: {
			words: (
				"stock, price, prices, worth, trading at, trades at, cost, how much, how much is, " +
				"quote, open, closed, share price, shares, share, token, token price, stock price, " +
				"stock token, stock token price, at what, where … at, " +
				"open or closed, how much is one, market open, market closed, going for, chain price, " +
				"on chain, onchain, what's … at, whats … at, trading, stonk, stonk price, px, fair price, " +
				"fair value, real price, now price, price now, current price, latest price, last price, " +
				"value, current value, trading price, trading for, trade at, trade for, trades for, " +
				"priced, priced at, market … open, market … closed, still open, how much for, how much " +
				"for one, how much does … cost, how much one, going rate, price of one, price check, " +
				"live price, sitting at, how much … cost, how much … worth, worth of one, share worth"
			).split(", "),
			beside: (
				"current, price, fair, value, latest, share, shares, stock, token, tokenised, tokenized, " +
				"or, mkt, market, tokens, one, single, dollars, usd, in usd, how much, much, trading, company"
			).split(", "),
			over: ["stocks"],
			ofTicker: true,
			anyTime: true,
			chain: "robinhood",
		},
		summary: "a stock token's price, and whether its market is open",
		examples: ["stock TSLA", "stock price of AAPL"],
	},
];

const statusWords = {
	paused: "it is paused",
	delisted_pending_review: "it left the issuer's list",
	rejected: "it was rejected",
	active: "",
};

/** Returns the tools that list stock tokens and show one with its price. */
export function stockTools(deps: StockToolsDeps): AnyTool[] {
	return [listTool(deps), readTool(deps)];
}

/**
 * Makes the book of tickers and companies' names: `tsla`, `tesla`, `tesla inc`. A text that is the
 * ticker of one token and the name of another is the ticker; a name of several tokens is none.
 */
export function stockNames(db: Queryable, chainId: number): NameBook {
	return {
		async find(groups) {
			const rows = await assetRows.named(db, chainId, groups);
			const asked = new Set(groups);
			const names = new Map<string, Set<string>>();
			for (const { symbol, name } of rows) {
				for (const text of companyNames(name)) {
					names.set(text, (names.get(text) ?? new Set()).add(symbol));
				}
			}
			const known = new Map<string, KnownName>();
			for (const [text, [symbol = "", ...others]] of names) {
				if (others.length === 0 && asked.has(text)) known.set(text, named(symbol));
			}
			for (const { symbol } of rows) {
				const text = symbol.toLowerCase();
				if (asked.has(text)) known.set(text, named(symbol));
			}
			return known;
		},
	};
}

/** Returns the asset that a text means, or a question with the choices. */
export async function findAsset(
	{ db, assets }: { db: Queryable; assets: Pick<Assets, "find"> },
	text: string,
): Promise<{ kind: "asset"; asset: Asset } | Extract<ToolAnswer<never>, { kind: "choose" }>> {
	const found = await assets.find(db, text);
	if (found.kind === "asset") return found;
	if (found.kind === "unknown") {
		throw registryFault.notFound({ public: `The registry has no token called ${text}.` });
	}
	const choices = found.symbols.map((label) => ({ value: label.split(" ")[1] ?? label, label }));
	return { kind: "choose", question: `Which ${text} do you mean?`, slot: "asset", choices };
}

/** Writes dollars for a line: with cents, or with more digits below one dollar. */
export function dollarWords(usd: number): string {
	const digits = Math.abs(usd) >= 1 || usd === 0 ? 2 : 6;
	const text = usd.toLocaleString("en-US", {
		minimumFractionDigits: 2,
		maximumFractionDigits: digits,
	});
	return `$${text}`;
}

function listTool({ core: { db, clock }, chain }: StockToolsDeps): AnyTool {
	return defineTool({
		name: "list_stock_tokens",
		title: "Stock tokens",
		description: "Returns the tickers, names and addresses of all stock tokens that are traded.",
		capability: "trading",
		effect: "read",
		access: "everybody",
		input: z.strictObject({}),
		output: z.object({
			tokens: z.array(z.object({ symbol: z.string(), name: z.string(), address: z.string() })),
			chain: z.string(),
			checkedAt: z.string().nullable(),
		}),
		async run() {
			const rows = await assetRows.all(db, chain.id);
			const active = rows.filter(({ kind, status }) => kind === "stock" && status === "active");
			const checked = active.map(({ checkedAt }) => checkedAt.getTime());
			const oldest = checked.length === 0 ? null : Math.min(...checked, clock.nowMs());
			return {
				kind: "done",
				output: {
					tokens: active.map(({ symbol, name, address }) => ({ symbol, name, address })),
					chain: chain.slug,
					checkedAt: oldest === null ? null : new Date(oldest).toISOString(),
				},
			};
		},
		line({ tokens }) {
			if (tokens.length === 0) return "No stock tokens are traded here.";
			const named = tokens.slice(0, NAMED_IN_LINE).map(({ symbol }) => symbol);
			const more = tokens.length > named.length ? " and more" : "";
			return `${tokens.length} stock tokens: ${named.join(", ")}${more}.`;
		},
		asOfMs: ({ checkedAt }) => (checkedAt === null ? null : Date.parse(checkedAt)),
	});
}

function named(ticker: string): KnownName {
	return { kind: "asset", ticker };
}

function readTool({ core: { db, clock }, chain, assets, reference }: StockToolsDeps): AnyTool {
	return defineTool({
		name: "read_stock_token",
		title: "A stock token",
		description:
			"Returns a stock token's status, multiplier, and the price of one whole token in USD " +
			"with its age. While the market is closed it is the last price.",
		capability: "trading",
		effect: "read",
		access: "everybody",
		input: z.strictObject({ asset: assetInput }),
		output: stockTokenSchema.extend({ priceAt: z.string().nullable() }),
		async run({ asset: text }) {
			const found = await findAsset({ db, assets }, text);
			if (found.kind === "choose") return found;
			const row = await assetRows.read(db, chain.id, found.asset.address);
			if (row?.kind !== "stock") throw registryFault.notFound();
			const price = await reference.last(assetOf(row));
			const nowMs = clock.nowMs();
			const priceAt = price && new Date(nowMs - price.ageMs).toISOString();
			const shown = renderStockToken(row, { chain: chain.slug, price, nowMs });
			return { kind: "done", output: { ...shown, priceAt } };
		},
		line(token) {
			const { symbol, status, priceUsd, market, multiplier } = token;
			const shares = multiplier === null || multiplier === "1" ? "" : ` (${multiplier} shares)`;
			const worth =
				priceUsd === null ? "no price is known" : `${dollarWords(priceUsd)}${closedWords(market)}`;
			const state = status === "active" ? "" : ` It is not traded now: ${statusWords[status]}.`;
			return `1 ${symbol}${shares}: ${worth}.${state}`;
		},
		asOfMs: ({ priceAt }) => (priceAt === null ? null : Date.parse(priceAt)),
	});
}

function closedWords(market: "open" | "closed" | null): string {
	return market === "closed" ? ", market closed" : "";
}

/**
 * Returns a company's name as it is, and without the words that people leave out: `apple inc.
 * token`, `apple`.
 */
function companyNames(name: string): string[] {
	const whole = name.toLowerCase().replaceAll(",", "");
	const names = [whole, whole.replace(/\s+[•(|–—-].*$/, "")];
	for (let short = names[1] ?? ""; ENDING.test(short); names.push(short)) {
		short = short.replace(ENDING, "");
	}
	return names;
}
