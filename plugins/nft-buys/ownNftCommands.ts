// Declares the commands about the NFTs of a profile's wallets.

import type { Command, Slot } from "#core/plugin/Tool.ts";

const collection: Slot = { kind: "collection" };
const window: Slot = { kind: "period" };
const chain: Slot = { kind: "chain" };

const list = (text: string) => text.split(", ");

const BESIDE =
	"list, all, total, in total, currently, together, altogether, piece, pieces, token, tokens, nft, " +
	"nfts, token ids, ids, numbers, ones, which ones, how many, many, worth, value, one by one, each";

const HELD =
	"do i have, do i own, do i hold, have i got, i have, i own, i hold, i got, am i holding, do i hav, " +
	"i've got, i still have, do i still have, do i still own";
const NFTS =
	"my nfts, my nft, my jpegs, my pfps, my collectibles, nfts … i have, nfts … i own, nfts … do i " +
	"own, nfts … do i have, nfts … do i hold, nft … do i own, nft … do i have, nfts … in my wallet, " +
	"nft … in my wallet, in my wallet … nfts, in wallet … nft, in wallet … nfts, i have in wallet … " +
	"nft, i own … nfts, i own … nft, my whole collection, all my nfts";

const BOUGHT =
	"did i buy, have i bought, i bought, i've bought, my buys, my purchases, my purchase, i purchased, " +
	"did i purchase";
const SOLD = "did i sell, have i sold, i sold, i've sold, my sales";
/** A profit may be one of what is still held: only what asks for sales that were made is here. */
const RESULT =
	"did i make, have i made, i made, i've made, my realised, my realized, realised gain, realised " +
	"gains, realized gains, realized gain, realised profit, realized profit, my realised result, my " +
	"realised pnl, my realized pnl, realised pnl, realized pnl";
/** Without a collection they may ask about stocks as well: these say that NFTs are meant. */
const NFT_BOUGHT =
	"my nft buys, my nft purchases, my nfts bought, nfts did i buy, nfts … i bought, nft did i buy, nft " +
	"… i bought, bought … nfts, buy … nfts, nfts have i bought, nfts did i purchase";
const NFT_SOLD =
	"my nft sales, nfts did i sell, nfts … i sold, nft did i sell, nft … i sold, sold … nfts, sell … " +
	"nfts, nfts have i sold";
const NFT_RESULT =
	"my nft result, make on nfts, made on nfts, make on my nfts, made on my nfts, make with nfts, made " +
	"with nfts, realised on nfts, realized on nfts, made selling nfts, make selling nfts, realised nft " +
	"gains, realized nft gains, realised nft profit, realized nft profit";
const TRADES_BESIDE =
	"did i, have i, i, list, all, last, latest, newest, recent, nft, nfts, only, with prices, price, prices, paid, for " +
	"how much, how much, much, what, on here, here, last time, one by one, each, how many, many, with " +
	"the price, went, and for how much, date, dates";

/** The commands about what a profile's wallets hold of NFTs, traded and realised. */
export const ownNftCommands: readonly Command[] = [
	{
		name: "my_nfts",
		forms: ["my nfts [on {chain}]"],
		slots: { chain },
		tool: "read_own_nfts",
		topic: {
			words: list(NFTS),
			beside: list(`${BESIDE}, everything, show all, with floor, with floors`),
			over: list("portfolio, my_wallets, my_balances"),
		},
		summary: "the NFTs that your wallets hold, and what they are worth",
		examples: ["my nfts"],
	},
	{
		name: "my_nfts_of",
		forms: ["my nfts of {collection} [on {chain}]"],
		slots: { collection, chain },
		tool: "read_own_nfts",
		topic: {
			words: list(`${HELD}, my nfts, my … holdings, of mine`),
			beside: list(BESIDE),
			over: list("portfolio, my_wallets, my_balances, collection, holders, floor, token"),
		},
		summary: "what your wallets hold of one collection",
		examples: ["my nfts of kiln-folk"],
	},
	...(
		[
			["my_nft_buys", "bought", [NFT_BOUGHT, BOUGHT], "my nft buys"],
			["my_nft_sales", "sold", [NFT_SOLD, SOLD], "my nft sales"],
		] as const
	).flatMap(([name, type, [nfts, words], form]): Command[] => [
		{
			name,
			forms: [`${form} [{window}] [on {chain}]`],
			slots: { window, chain },
			tool: "read_own_nft_trades",
			input: (values) => ({ ...values, type }),
			topic: {
				words: list(nfts),
				beside: list(TRADES_BESIDE),
				lists: 50,
				over: list("my_spending, my_trades, sales, sold, my_intents"),
			},
			summary: `the NFTs that your wallets ${type}, and for how much`,
			examples: [`${form} 7d`],
		},
		{
			name: `${name}_of`,
			forms: [`${form} of {collection} [{window}] [on {chain}]`],
			slots: { collection, window, chain },
			tool: "read_own_nft_trades",
			input: (values) => ({ ...values, type }),
			topic: {
				words: list(words),
				beside: list(TRADES_BESIDE),
				lists: 50,
				over: list("my_spending, my_trades, sales, sold, my_intents, volume"),
			},
			summary: `what your wallets ${type} of one collection`,
			examples: [`${form} of kiln-folk`],
		},
	]),
	{
		name: "my_nft_result",
		forms: ["my nft result [on {chain}]"],
		slots: { chain },
		tool: "read_own_nft_result",
		topic: {
			words: list(NFT_RESULT),
			beside: list("how much, much, did i, have i, i, all, in total, overall"),
			over: list("my_spending, my_trades, my_intents"),
			never: list("stock, stocks, share, shares, tax, year, fifo, fees"),
		},
		summary: "what your sales of NFTs brought, less what these cost",
		examples: ["my nft result"],
	},
	{
		name: "my_nft_result_of",
		forms: ["my nft result of {collection} [on {chain}]"],
		slots: { collection, chain },
		tool: "read_own_nft_result",
		topic: {
			words: list(RESULT),
			beside: list("how much, much, all, in total, overall, selling, all in, trading, flipping"),
			over: list("my_spending, my_trades, my_intents, sales, sold, volume"),
			never: list("fees, tax, year"),
		},
		summary: "what your sales of one collection brought, less what these cost",
		examples: ["my nft result of kiln-folk"],
	},
];
