// Offers the agent's tools and commands about the holdings of a profile.

import { z } from "zod";
import type { Queryable } from "#core/db/Database.ts";
import { type AnyTool, type Command, defineTool } from "#core/plugin/Tool.ts";
import { type HoldingsAnswer, holdingsSchema, type Portfolio } from "#plugins/trading/holdings.ts";
import type { Assets } from "#plugins/trading/registry/createAssets.ts";
import { assetInput, dollarWords, findAsset } from "#plugins/trading/stockTools.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type HoldingToolsDeps = {
	db: Queryable;
	assets: Pick<Assets, "find">;
	portfolio: Portfolio;
	wallets: Pick<Wallets, "principalOf">;
};

/** Limits the holdings that the line names; `data` has all. */
const NAMED_IN_LINE = 4;

/** Returns the tools that show what the caller's wallets hold: all of it, or one token. */
export function holdingTools(deps: HoldingToolsDeps): AnyTool[] {
	return [portfolioTool(deps), holdingTool(deps)];
}

export const holdingCommands: readonly Command[] = [
	{
		name: "portfolio",
		forms: ["portfolio", "my (portfolio|holdings|stocks|positions|bags)", "what do i (own|hold)"],
		slots: {},
		tool: "read_portfolio",
		topic: {
			words: (
				"my portfolio, my bags, my holdings, my positions, my stocks, my stuff, " +
				"do i hold, do i own, am i holding, i own, my assets, my shares, my stock, my stock tokens, " +
				"my tokenised stocks, my tokenized stocks, i hold, i am holding, i'm holding, what do i have, " +
				"my whole portfolio, my entire portfolio, my total holdings, all my holdings, all my stocks, " +
				"all my positions, all my stuff, all of my stuff, what i own, what i hold, which stocks do i have, " +
				"stocks do i have, stocks i have, everything i hold, everything i own, all i hold, all i own"
			).split(", "),
			beside: (
				"list, all, total, whole, full, stocks, shares, currently, worth, value, together, how much, " +
				"altogether, in total, combined"
			).split(", "),
			never: "nft nfts jpeg jpegs pfp pfps collection collections".split(" "),
			over: ["stocks", "my_wallets", "my_balances"],
		},
		summary: "what your wallets hold, and what it is worth",
		examples: ["portfolio", "my holdings"],
	},
	{
		name: "holding",
		forms: [
			"holdings {asset}",
			"my (holdings|position) (of|in) {asset}",
			"(holdings|position) (of|in) {asset}",
		],
		slots: { asset: { kind: "asset" } },
		tool: "read_holding",
		topic: {
			words: (
				"holdings, my position, my holding, my holdings, my bag, my shares, do i hold, " +
				"do i own, do i have, have i got, i own, i hold, am i holding, i am holding, " +
				"how many … do i hold, how many … do i own, how many … do i have, how much … do i hold, " +
				"how much … do i own, how much … do i have, how many … i have, how many … i hold, " +
				"how many … i own, how much … i have, how much … i hold, how much … i own, i have how many, " +
				"i have how much, i own how many, i hold how many, how many … have i got, how much … have i got, " +
				"how many … i got, how much … i got, how many … am i holding, how much … am i holding, " +
				"my … stock, my … shares, my … tokens, my … token, my … position, my … holding, " +
				"my … holdings, my … bag, my … balance, my balance, how many … in my wallet, " +
				"how much … in my wallet, how much … in my wallets, size of my position, size of my … position"
			).split(", "),
			beside: (
				"total, all, how many, how much, many, much, shares, share, stock, stocks, token, tokens, " +
				"tokenised, tokenized, units, in total, altogether, currently, holdings"
			).split(", "),
			over: ["stock", "portfolio", "my_balances"],
		},
		summary: "what your wallets hold of one token",
		examples: ["holdings TSLA", "my position in AAPL"],
	},
];

function portfolioTool({ portfolio, wallets }: HoldingToolsDeps): AnyTool {
	return defineTool({
		name: "read_portfolio",
		title: "Your portfolio",
		description:
			"Returns what your wallets hold of coins and stock tokens on the chain where they are traded, " +
			"with values in USD. `balance` is what can be traded, `uiBalance` shows shares. Unknown is null.",
		capability: "trading",
		effect: "read",
		access: "profile",
		input: z.strictObject({}),
		output: holdingsSchema,
		async run(_, { caller, signal }) {
			const { profile } = await wallets.principalOf(caller);
			return { kind: "done", output: await portfolio(profile, { signal }) };
		},
		line(answer) {
			const { data, totalUsd, knownUsd } = answer;
			if (data.length === 0) return "Your wallets hold nothing here.";
			const sum = totalUsd === null ? `${dollarWords(knownUsd)} and more` : dollarWords(totalUsd);
			const parts = data.slice(0, NAMED_IN_LINE).map(partWords);
			const more = data.length > parts.length ? ` and ${data.length - parts.length} more` : "";
			return `${sum}: ${parts.join(", ")}${more}.`;
		},
		asOfMs: ({ asOf }) => Date.parse(asOf),
	});
}

function holdingTool({ db, assets, portfolio, wallets }: HoldingToolsDeps): AnyTool {
	return defineTool({
		name: "read_holding",
		title: "What you hold of a token",
		description:
			"Returns what your wallets hold of one coin or stock token: what can be traded, the same as " +
			"shares, and its value in USD.",
		capability: "trading",
		effect: "read",
		access: "profile",
		input: z.strictObject({ asset: assetInput }),
		output: holdingsSchema.extend({ symbol: z.string() }),
		async run({ asset: text }, { caller, signal }) {
			const { profile } = await wallets.principalOf(caller);
			const found = await findAsset({ db, assets }, text);
			if (found.kind === "choose") return found;
			const { address, symbol } = found.asset;
			const answer = await portfolio(profile, { signal, only: address });
			return { kind: "done", output: { ...answer, symbol } };
		},
		line({ data, totalUsd, symbol }) {
			if (data.length === 0) return `Your wallets hold no ${symbol}.`;
			const parts = data.slice(0, NAMED_IN_LINE).map(partWords).join(", ");
			const worth = totalUsd === null ? "no price is known" : dollarWords(totalUsd);
			return `${parts}: ${worth}${data[0]?.market === "closed" ? ", market closed" : ""}.`;
		},
		asOfMs: ({ asOf }) => Date.parse(asOf),
	});
}

/** Writes a balance for the line, with its number of shares where that differs. */
function partWords({ symbol, balance, uiBalance }: HoldingsAnswer["data"][number]): string {
	if (balance === null) return `${symbol} unknown`;
	const shares = uiBalance === null || uiBalance === balance ? "" : ` (${short(uiBalance)} shares)`;
	return `${short(balance)} ${symbol}${shares}`;
}

/** Cuts a decimal to six places, enough for the line; `data` has all. */
function short(decimal: string): string {
	const [whole = "", fraction = ""] = decimal.split(".");
	const kept = fraction.slice(0, 6).replace(/0+$/, "");
	return kept === "" ? whole : `${whole}.${kept}`;
}
