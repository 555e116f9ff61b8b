// Lists the market's topics for the agent, with the words that mean them.

import type { Topic } from "#core/plugin/Tool.ts";
import { MOVED, WAS } from "#plugins/market-index/agent/floorWords.ts";

type Kind = Pick<Topic, "isOwned" | "anyTime" | "ofName" | "ofToken" | "lists">;

/** Says about an answer that is of now: a question about today asks for it. */
const NOW: Kind = { anyTime: true };
/** Lists of the whole market have ten rows. */
const RANKED: Kind = { lists: 10 };

/**
 * Lists words by which questions about the market are recognised, each of which asks for just what
 * the answer contains. A similar word is left out: `losers` are no sales.
 */
const WORDS = {
	floor:
		"can grab, i can cop, u can cop, can i cop, can i grab, would i pay, minimum i can pay, i'd " +
		"have to pay, do i have to pay, would i have to pay, do i need to pay, minimum, min ask, " +
		"current ask, ask on, running me, bottoming, flooring, what can i get, can … be purchased, " +
		"how low … go, floor … holding, floor hold, fp … holding, how much for 1, how much is 1, " +
		"how much 4, one … cost, price … starts, starts the price, least … pay, to own, floor, " +
		"floors, fp, floorprice, price, prices, priced, cost, costs, cheapest, lowest, cheapest … " +
		"listed, lowest … listed, cheapest one, lowest one, entry, asking price, how low, worth, " +
		"how much, how cheap, go for, going for, goes for, cost to buy, how expensive, sitting at, " +
		"trading at, listed at, what … at, flor, flr, bottom, get into, way into, cheapest … on the " +
		"market, cheapest … for sale, where … trading, where … at, what's … at, whats … at, buy in, " +
		"run me, at what, starts at, least expensive, cheapest … i can buy, cheapest … can i buy, " +
		"cheapest … to buy, most cheap, most cheap … i can buy, lowest … for sale, how much … to " +
		"buy, price tag, price of one, price for one, cost of one, how much for one, how much is " +
		"one, how much one, how much eth for, how many eth for, how much eth is, price … offered, " +
		"lowest … offered, cheapest … offered",
	prices:
		"average sale, average … price, highest … sale, price range, avg … price, mean price, avg " +
		"sale, top sale, biggest … sale, most expensive … sale, lowest sale, cheapest sale, average " +
		"… sell for, average … sold for, prices paid, average … go for, average paid, highest price " +
		"paid, lowest price paid, highest and lowest, was the average, was … average price, was the " +
		"highest sale, was the biggest sale, was the most expensive sale, mean sale price",
	volume:
		"traded value, value traded, how many eth did … do, eth thru, eth through, did … trade in " +
		"total, been trading … in eth, volume, volumes, vol, vols, turnover, trade volume, traded, " +
		"how much … trade, how much eth … do, how much eth … done, how much … changed hands, how " +
		"much … moved, how much eth went through, how much eth … through, sales volume, volume " +
		"done, was traded, was … volume, how much was … traded",
	sales:
		"anyone buying, anybody buying, anyone actually buying, selling on, whats selling, what's " +
		"selling, selling in, been selling, just sell, did … just sell, latest prints, last prints, " +
		"few sells, somebody just pay, someone just paid, someone paid, somebody paid, last … sell, " +
		"most recent … sell, picking up, sales, sale, last sale, last … sale, trades, trade " +
		"history, last … go for, last … went for, sale price, last sale price, buys, purchases, " +
		"last purchase, most recent purchase, latest … go for, most recent buy, last … sold, sold " +
		"at, sold for, sell for, selling for, selling at, last buy, clearing at, most recent … go " +
		"for, transactions, trade feed, recent trade, latest trade, last trade, last price, " +
		"previous sale, sold last, sold recently, recently sold, latest sold, most recently sold, " +
		"was the last sale, was … last sale, was the last sale price, last traded, last few prices, " +
		"people paying, ppl paying, last time … sold, most recent sold, selling recently",
	sold:
		"how many … moved, how many … went, did any … sell, did many … sell, did … sell anything, " +
		"units moved, sold, how many … sell, sale count, sales, trades, how many … traded, how many " +
		"… move, changed hands, how many sale, # sold, # of … sold, how many … bought, how much " +
		"sales, amount of sales",
	mints:
		"mints, minted, mint price, mint cost, mint count, mint progress, how many minted, how many " +
		"… minted, how many … were minted, how many mints, how many … mints, how fast … minting, " +
		"how fast … mint, minting speed, mint speed, mint rate, mint pace, minted so far, mint … " +
		"price, price to mint, cost to mint, how much to mint, how much … mint, how much is … mint, " +
		"recent mints, latest mints, last mints, supply minted, minted supply, how much … minted, " +
		"minted count, mint supply, people minting, ppl minting, anyone minting, free mint, how " +
		"quick … minting, how quickly … minting already, how quickly … minting, left to mint, how " +
		"many … left to mint, have been minted, how many … been minted, been minted, how much of … " +
		"minted, how much of … been minted, price of mint, price of … mint, cost of mint, cost of … " +
		"mint, how far … mint",
	lifecycle:
		"live yet, finished … the mint, art revealed, lifecycle, status, stage, phase, minting, " +
		"still minting, minted out, mint out, sold out, reveal, revealed, mint live, mint open, " +
		"mint over, mint done, mint closed, mint ended, mint finished, mint … live, mint … over, " +
		"mint … open, mint … done, mint … closed, mint status, mint stage, mint phase, fully " +
		"minted, done minting, finished minting, started minting, hidden, still hidden, closed, " +
		"still open, still live, completely minted, what stage, which stage, which phase, what " +
		"phase, minting yet, revealed yet, reveal yet, still mint, mint still, out yet, unrevealed, " +
		"still minting or, mint out yet, minted out yet, sold out yet, reveal status, minting now, " +
		"how far … reveal, how far … from reveal, already revealed, revealed already, been " +
		"revealed, has … revealed, finish minting, mintable, still mintable, minting still, already " +
		"minted out, mint still going, mint finish, can i still mint, still be minted, sell out, " +
		"sold out already, did … mint out, fully minted or still open, minted out or still minting, " +
		"still minting or done, still minting or sold out, still minting or minted out, revealed or " +
		"not, revealed or hidden, mint out already",
	order_book:
		"bid/ask, ask/bid, bids/asks, asks/bids, listing … rn, whos listing, who's listing, " +
		"orderbook, order book, book, bids, bid, offers, offer, asks, listings, listed, for sale, " +
		"on sale, bidding, who bidding, spread, bid and ask, bid ask, ladder, order flow, highest … " +
		"will pay, orders, someone will pay, anyone will pay, offer depth and spread, spread " +
		"between … floor … top offer, spread between … floor … best offer, spread between … floor … " +
		"top bid, spread between … floor … best bid, spread between … bid … ask, spread between … " +
		"ask … bid, offered, people offering, anyone offering, anybody offering, someone offering, " +
		"best price … sell into",
	depth:
		"thin, top bid … behind, how many behind, depth, liquidity, liquid, how deep, how thick, " +
		"orderbook depth, floor depth, wall, walls, how deep … floor, how thin … floor, how thick … " +
		"floor, liquidity … floor, listing wall, sell wall, buy wall, illiquid, stacked, bid side, " +
		"sell into, support, floor support, offer depth, depth on offer, how liquid … floor",
	traits:
		"turns up the least often, turns up least often, comes up least often, which trait … rarest, " +
		"trait rarity, trait … the least, traits … the least, trait … hardest to find, least common " +
		"trait, least common traits, traits … least common, trait … least common, scarcest trait, " +
		"scarcest traits, traits, trait, trait counts, attributes, attribute, kinds of traits, kind " +
		"of traits, trait types, floors per trait, floor per trait, floor prices per trait",
	holders:
		"how many people owns, who even owns, who even holds, whos got the most, who's got the " +
		"most, top bags, hoarding, holders, holder, owners, whales, owner count, how many wallets, " +
		"unique wallets, who holds, who owns, who has … most, distribution, concentration, top " +
		"wallets, concentrated, how many people have, how many ppl have, how many people … own, how " +
		"many people … hold, how many unique people own, hodlers, ownership, most of the supply, " +
		"whale, biggest bags, biggest bag, how many peoples have, how many peoples own, how many " +
		"peoples hold, how many persons have, how many person have, how many person hold, how many " +
		"person own, how many different people own, how many different people hold, how many " +
		"different wallets, number of wallets, how many wallets are holding, how many people are " +
		"holding, wallets holding, people holding, how many own, how many hold, how many addresses " +
		"hold, how many addresses own, how many users hold, how many users own, how many accounts " +
		"hold, holding the most, holds most, owns most, who have the most, who have most, who got " +
		"the most, who got most, how many people got, how many ppl got, how many ppl holding, how " +
		"many ppl are holding, who is holding, who hold, who own, how many ppl … hold, how many ppl " +
		"… own, how many persons … hold, how many persons … own, amount of holders, amount of " +
		"owners, which wallets hold the most, which wallets own the most, which wallet holds the " +
		"most, which wallet owns the most, who's holding, whos holding, holder numbers, how many " +
		"owner, how many unique owner",
	token_sale:
		"last sale, last sold, last sell for, last sale price, previous sale, last go for, last " +
		"went for, did … sell, sold yet, sell yet, was the last sale, was the last sale price, was " +
		"… last sale, was … last sale price, sold for, sold price, latest sale, recent sale, last " +
		"price, last traded, last sale value",
	token_listing:
		"listed, listing, for sale, on sale, ask, asking, price, how much, cost, available, " +
		"listings, list price, on the market, being sold, listing status, can be bought, asked for, " +
		"list for",
	token:
		"sitting on, any rare, rare one, rarity tok, holding that one, which wallet has, who … has " +
		"it, what rarity, worth, worth anything, might fetch, could fetch, would fetch, rank, " +
		"rarity, rarity rank, rare, how rare, traits, trait, attributes, owner, who owns, who " +
		"holds, who has, whos got, holder, owned, info, details, about, token, look up, lookup, " +
		"stats, what rank, which rank, whose, who … owns, owns, belongs to, all the traits, all " +
		"traits, all its traits, its traits, ranked, ranking, rank number, rarity ranking, who is " +
		"the owner, who's the owner, current owner, who currently owns, who is holding, who holds " +
		"it, properties, owned by, how rare … is, what traits, which traits, what are … traits, who " +
		"own, who hold, who have, holding",
	collection:
		"what chain, which chain, what blockchain, which blockchain, what network, which network, " +
		"going on with, up with, what did … do, doin, is … dead, any alpha on, sum up, happening " +
		"with, floor … volume, volume … floor, floor … holders, holders … floor, floor … sales, " +
		"sales … floor, floor … supply, supply … floor, floor … owners, owners … floor, volume … " +
		"holders, holders … volume, volume and sales, sales and volume, listed … supply, deal with, " +
		"situation with, word on, the lot, holding up, faring, state of, lowdown, scoop on, stats, " +
		"stat, info, overview, summary, details, data, rundown, tldr, about, supply, how many … " +
		"exist, how many … listed, how many listings, listed count, number listed, how many … for " +
		"sale, number of listings, how many … there, breakdown, recap, snapshot, how is … doing, " +
		"hows … doing, how's … doing, how are … doing, how is … looking, hows … looking, tell me " +
		"about, what is … about, listed percentage, percent … listed, percentage … listed, how much " +
		"of … listed, how much … supply … listed, share … supply … listed, listed ratio, listing " +
		"ratio, listed percent, listed … supply ratio, holders ratio, holder ratio, unique owners " +
		"ratio, owner ratio, how many items, how many pieces, how many nfts, how many tokens, how " +
		"many … in total, how many total, number of items, number of tokens, number of nfts, number " +
		"of pieces, total items, total number, size, how big, how large, key stats, key figures, " +
		"main stats, all the stats, all stats, all info, all the info, general info, basic info, " +
		"basic stats, amount listed, listed amount, how many … in circulation, general overview, " +
		"general stats, % … listed, at a glance, how is … performing, hows … performing, how's … " +
		"performing, how are … performing, overall picture, main figures, everything on",
	upcoming:
		"upcoming, upcoming mint, upcoming drops, upcoming drop, next mint, next drop, dropping, " +
		"coming up, coming soon, minting soon, minting next, mints soon, drops soon, launching, " +
		"mint calendar, drop calendar, mints … coming, drops … coming, launches, soon, what's next, " +
		"whats next, drops next, mints next, mint soon, drop soon, upcomin, mints coming up, drops " +
		"coming up, mints coming, drops coming, about to mint, going to mint, next launch, future " +
		"drops, future mints, scheduled mints, scheduled drops, mint schedule, drop schedule, " +
		"planned mints, planned drops, going to drop, will mint soon, mint next, drop next, new " +
		"drops coming, coming mints, coming drops, mints are coming, drops are coming, starting " +
		"soon, when is the next mint, when is the next drop, when's the next mint, when's the next " +
		"drop, next mint when, next drop when",
	trending:
		"selling, running, cooking, most pieces, most items, most nfts, trending, hot, hottest, " +
		"most sales, most sold, top collections, top nfts, top projects, top collection, popular, " +
		"moving, popping, popping off, best selling, most bought, most active, top sellers, " +
		"everyone buying, everybody buying, people buying, trend, trends, trendy, rank … by … " +
		"sales, rank … by … sales count, by sales, by … sales, by sales count, by … sales count, by " +
		"number of sales, selling most, selling the most, selling best, sells the most, sold the " +
		"most, sold most, top selling, bestselling, best sellers, biggest collections, top nft " +
		"collections, top nft projects",
	top_volume:
		"by … volume, trending by volume, most volume, top volume, by volume, highest volume, most " +
		"traded, biggest volume, ranked by volume, hot by volume, most trading volume, highest " +
		"trading volume, biggest trading volume, volume ranking, ranking by volume, rank … by " +
		"volume, sorted by volume, leaders by volume, traded the most, trading the most, traded " +
		"most, trades the most, have the most volume",
	gainers:
		"gainers, top gainer, biggest gainer, pumping hardest, pumped most, gained most, gained the " +
		"most, up the most, up most, floors up, risers, biggest pumps, which … go up, which … going " +
		"up, which … goes up, which … went up, which … gone up, what's going up, whats going up, " +
		"what is going up, what went up, gone up the most, went up the most, go up the most, gone " +
		"up most, went up most, went up hardest, gain the most, gaining the most, gaining most, " +
		"rose the most, rose most, risen the most, risen most, rising fastest, climbed the most, " +
		"climbed most, increased the most, increased most, pumped the most, pumped hardest, best " +
		"performing, best performers, best performer, top performers, top performing, winners, " +
		"biggest rise, biggest floor rise, biggest floor increase, jumped the most, jumped most, " +
		"mooned hardest, rise the most, rise most, climb the most, pump the most, gain most, " +
		"mooning, pumping, ripping, surging, soaring, skyrocketing, rising, climbing, mooned",
	losers:
		"losers, top loser, biggest loser, dumping hardest, dumped most, lost most, down the most, " +
		"down most, floors down, fallers, biggest dumps, lost the most, lose the most, lose most, " +
		"losing the most, losing most, fell the most, fell most, fell hardest, fallen the most, " +
		"fallen most, falling hardest, dropped the most, dropped most, dropped hardest, dropping " +
		"the most, dropping most, dropping hardest, got dumped, getting dumped, dumped hardest, " +
		"dumped the most, crashed the most, crashed hardest, crashing hardest, worst performing, " +
		"worst performers, worst performer, which … go down, which … going down, which … goes down, " +
		"which … went down, which … gone down, what's going down, whats going down, what is going " +
		"down, what went down, went down the most, went down most, went down hardest, gone down the " +
		"most, gone down most, go down the most, declined the most, decreased the most, biggest " +
		"declines, biggest decline, biggest floor drops, biggest floor drop, bleeding hardest, " +
		"nuked hardest, nuking hardest, down hardest, down the hardest, tanked hardest, tanked the " +
		"most, fall the most, fall most, drop the most, drop most, dump the most, crash the most, " +
		"decline the most, dumping, tanking, crashing, falling, bleeding, nuking, sinking, plunging",
	discover:
		"happening in the market, market wide, whats new, what's new, what is new, discover, " +
		"market, nft market, market overview, market doing, market looking, whole market, moving, " +
		"moving across, whole-market, across the market",
	minting:
		"minting, what can i mint, what to mint, live drops, mints, hot mints, live to mint, mint " +
		"live, being minted, open to mint, available to mint, open drops, active drops, drops live, " +
		"drops open, ongoing mints, ongoing drops, people minting, which … can i mint, which … i " +
		"can mint, what … i can mint, anything … i can mint, anything … can i mint, anything to " +
		"mint",
	ended:
		"ended drops, past drops, ended mints, past mints, finished mints, closed mints, old drops, " +
		"mints … over, drops … over, mints … ended, closed drops, finished drops, recently ended, " +
		"drops … finished, mints … finished, drops … closed, mints … closed, drops already ended, " +
		"mints already ended, drops … ended, drops ended, mints ended, drops already finished, " +
		"mints already finished, drops already over, mints already over, finished minting, drops … " +
		"already over",
	search: "search, search for, called, named, named like",
};

/** Lists what says nothing more beside these words: the answer has it, or says it of itself. */
const BESIDE: Partial<Record<keyof typeof WORDS, string>> = {
	floor:
		"for buy, for buying, what price, at minimum, at the very bottom, min, change 24h, 24h change, change today, vs yesterday, " +
		"action, is, still, left, in dollars, in usd, usd, dollars, in us dollars, us dollars, " +
		"dollar, in dollar, current, price, prices, level, value, number, figure, ask, lowest, " +
		"cheapest, minimum, least, starting, entry, available, listed, listing, item, piece, " +
		"single, how much, much, money, since yesterday, compared to yesterday, over the last day, " +
		"in total, for sale",
	volume:
		"was, were, how big, big, notional, what kind of, kind of, holding up, thru, through, " +
		"left, how, total, overall, combined, whole, amount, sum, number, figure, trading, traded, " +
		"eth, money, altogether, market, transaction, how much, how many, much",
	sales:
		"lately, recently, was, were, with prices, with, clearing, selling, at what price, list, " +
		"recent, latest, last, newest, most recent, few, history, feed, price, prices, how much, " +
		"transactions, completed",
	sold:
		"were, was, bought, moved, any, item, items, piece, pieces, units, tokens, total, number, " +
		"count, how many, many, altogether, in total, sales, number of, recorded",
	order_book:
		"decent, real, serious, weth, making, people, bid/ask, at all, sitting, both, list, " +
		"current, active, open, existing, standing, available, live, collection, listing, " +
		"listings, listed, offer, offers, bid, bids, asks, best, highest, top, cheapest, lowest, " +
		"price, prices, out there, from lowest to highest, from cheapest, lowest first, cheapest " +
		"first, highest first, sorted by price, by price, lowest to highest, low to high, " +
		"ascending, between, limit, floor spread, floor and best, floor and top, floor and " +
		"highest, and floor, floor vs, vs floor, ask vs, vs bid, vs top bid, vs best bid, vs top " +
		"offer, vs best offer, vs offer",
	depth:
		"big, how big, enough, much, still, looks, pretty, how many, top, best, bids, asks, bid, " +
		"ask, book, order book, orders, side, sides, market, current, on both sides, both sides, " +
		"listings, offers, near, around, price, levels, level",
	traits:
		"rarest, rare, with, out, which one, which ones, most, turns up, least often, often, comes " +
		"up, list, all, each, every, their, floors, floor, prices, price, counts, count, " +
		"available, exist, exists, different, types, type, kinds, whole, full, complete, the " +
		"traits, possible, breakdown",
	holders:
		"share of supply, share of the supply, of supply, of the supply, in percent, percent, percentage, " +
		"share, all, principal, uniq, supply, even, biggest bags, bags, how concentrated, concentrated, " +
		"separate wallets, them, out there, share of the top, list, top, biggest, largest, main, " +
		"major, number, count, total, unique, distinct, different, wallet, wallets, address, " +
		"addresses, people, owners, at least one, tokens, most, hold, holds, own, owns, each, how " +
		"many, many, he, she, with wallet addresses, with addresses, their, in total, overall, " +
		"individual, separate",
	collection:
		"lately, recently, these days, everything, whole, 24h volume, 24h sales, daily volume, " +
		"unique, count, total, current, number, percentage, percent, currently, altogether, " +
		"tokens, items, pieces",
	upcoming: "list, new, next, soon, calendar",
	minting:
		"that i could join, that i can join, i could join, i can join, still, can i join, could i " +
		"join, list, live, open, all, new, currently, active",
	trending:
		"everybody, out there, pieces, items, nfts, since yesterday, today's, list, top, most, " +
		"hottest, sales, popular, best, market, the most",
	top_volume: "list, top, highest, most, traded, trading, biggest, total, by, market, sorted",
	gainers:
		"since yesterday, go, going, gone, went, percent, percentage, in percent, in price, in " +
		"value, list, top, biggest, best, floor, floors, price, prices, value, most, market, " +
		"movers",
	losers:
		"since yesterday, go, going, gone, went, percent, percentage, in percent, in price, in " +
		"value, list, top, biggest, worst, floor, floors, price, prices, value, most, market, " +
		"movers",
	token:
		"or just looks expensive, or just expensive, or common, or not, one, wallet, good, tok, my, is it, how, much, anything, how much, number, traits, rank, " +
		"rarity, info, details, rare, full, all, its, list, score",
	token_sale: "my, last, price, how much, time, most recent, for how much, previous",
	token_listing: "my, still, current, price, how much, asking, for how much",
	lifecycle:
		"or, still, open, out, going, over, hidden, revealed, i still get in, already, its, " +
		"finished, mint, current, phase, stage, status, completely, fully",
	mints:
		"in the last hour, last hour, past hour, per hour, fast, how fast, how quickly, people, " +
		"until now, going, speed, was, total, current, price, cost, how much, count",
	prices: "paid, price, sale, the highest, highest, lowest, average, single, prices",
	discover: "whole, wide, nft, nfts, out there, across, all, friend, happening",
	ended: "list, have, all, that have",
};

const base = topic("floor", "search");
const floor = { ...base, words: [...base.words, ...MOVED] };

/** The topics of questions about the market. Of two that fit, one may go over the other. */
export const topics = {
	floor: { ...floor, ...NOW, isOwned: true },
	past_floor: { ...floor, words: [...floor.words, ...WAS] },
	trait_floor: {
		words: [
			...base.words,
			..."is there, there is some, any … for sale, any … listed, any … on sale, is … in sale".split(
				", ",
			),
			"how many … with",
			"how many … have",
			"how many … has",
			"how many … got",
		],
		beside: [
			...(base.beside ?? []),
			..."trait, attribute, traits, property, in sale, on sale, some".split(", "),
		],
		over: "floor past_floor token_listing order_book sales collection search".split(" "),
	},
	prices: topic("prices", "floor past_floor sales sold volume search"),
	volume: topic("volume", "search"),
	sales: topic("sales", "search", { lists: 20 }),
	sold: topic("sold", "sales search"),
	mints: topic("mints", "search"),
	lifecycle: topic("lifecycle", "search", { ...NOW, isOwned: true }),
	order_book: topic("order_book", "search", { ...NOW, lists: 20 }),
	depth: topic("depth", "search", NOW),
	traits: topic("traits", "search", { lists: 50, isOwned: true }),
	holders: topic("holders", "search", { ...NOW, lists: 20 }),
	token: topic("token", "holders traits collection search", { ofToken: true }),
	token_sale: topic("token_sale", "token sales sold floor token_listing search"),
	token_listing: topic("token_listing", "token floor order_book collection search"),
	collection: topic("collection", "search", { ...NOW, ofName: true }),
	upcoming: topic("upcoming", "", RANKED),
	trending: topic("trending", "", RANKED),
	top_volume: topic("top_volume", "trending volume", RANKED),
	gainers: topic("gainers", "trending", RANKED),
	losers: topic("losers", "trending", RANKED),
	discover: topic("discover", "", NOW),
	minting: topic("minting", "", { ...NOW, ...RANKED }),
	ended: topic("ended", "", RANKED),
	search: topic("search", ""),
};

/** Makes the topic of this name: its phrases, and the topics that it goes over. */
function topic(name: keyof typeof WORDS, over: string, kind: Kind = {}): Topic {
	const others = over === "" ? {} : { over: over.split(" ") };
	const beside = BESIDE[name]?.split(", ") ?? [];
	return { words: WORDS[name].split(", "), beside, ...others, ...kind };
}
