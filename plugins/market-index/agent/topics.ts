import type { Topic } from "#core/plugin/Command.ts";

/**
 * Makes a topic of phrases, separated by commas: `minted out`, or with words in between `how many …
 * listed`.
 */
function topic(words: string, ...over: string[]): Topic {
	return { words: words.split(", "), over };
}

const SALES =
	"action, moved, picking up, picked up, people paying, ppl paying, last … sell, sell at, " +
	"sales, sale, sold, sell … for, sell anything, sells, selling, trades, trade, traded, trading, buys, " +
	"bought, buying, buyers, purchases, purchased, flips, flipped, last … go for, " +
	"last … went for, last … got, activity, transactions, txs, average price, avg price, " +
	"median price, changed hands, last sold, last bought, who bought, recent buyers, txns, " +
	"tx, trade history, sales history, sales feed, sold recently, last purchase, purchase, " +
	"acquired, scooped, sweeps, sweeping, swept, buyer, most recent sale, sale prices, " +
	"how many … went, how many … go, highest sale, biggest sale, last price";

/**
 * Which words show that a question is about which part of the market, for texts that no form reads.
 * If a text has words of two topics, the one that names the other in its `over` wins.
 */
export const topics = {
	floor: topic(
		"floor, floors, run me, running me, set me back, price action, listed at, listed for, " +
			"pay for, minimum, fp, flr, floorprice, floor price, price, prices, priced, pricing, " +
			"cost, costs, cheapest, lowest, bottom, entry, worth, value, valued, how low, how high, " +
			"how cheap, how expensive, how much, going for, go for, goes for, trading at, trades at, " +
			"sitting at, ask, lowest ask, cheapest ask, lowest listing, cheapest listing, " +
			"cheapest listed, cheapest … listed, lowest … listed, pumping, pumped, pump, dumping, " +
			"dumped, dump, tanking, tanked, mooning, mooned, nuking, nuked, rekt, crashing, crashed, " +
			"up, down, asking price, starting price, starts at, start at, entry price, buy in, " +
			"market price, spot price, valuation, price tag, rate, going rate, listed from, " +
			"from how much, floor hold, floor holding, floor … hold, floor … holding, how much eth, " +
			"cheapest way, cost … to get in",
	),
	volume: topic(
		"traded … eth, eth traded, eth spent, eth done, volume, volumes, vol, vols, turnover, " +
			"traded volume, trading volume, sales volume, volume traded, how much eth … trade, " +
			"how much eth … traded, how much eth … do, how much eth … done, how much … traded, " +
			"how much … trade, how much … volume, how much … vol, eth volume, how many eth, " +
			"how many eth … do, how many eth … done, how many eth … trade, value traded, " +
			"traded value, money … traded, how much … do, how much … done, eth flow, money flow, " +
			"vol … doing, volume … doing, trading activity",
		"floor",
		"sales",
		"sold",
		"collection",
	),
	sales: topic(SALES, "floor", "collection"),
	sold: topic(SALES, "floor", "sales", "collection"),
	mints: topic(
		"mint, mints, minted, mint price, mint cost, mint count, mint progress, mint supply, " +
			"supply minted, how many … minted, how much … mint, how many … mints, minted so far, " +
			"left to mint, minting … fast, minting out fast, mint … fast, how fast … mint, how many … left, " +
			"left of … mint, how far … mint, percent minted, percent … minted, percentage … minted, " +
			"% … minted, mint speed, mint rate, free mint, minters, mint numbers, mint stats, " +
			"mint total, minted count, minted total, remaining, how many … remaining, supply left, " +
			"spots left, mints left, mint counter, cost to mint, price to mint, " +
			"minting cost, minting price, mint pace, mint fee, pay to mint, how many … claimed",
		"floor",
		"sales",
		"sold",
		"volume",
		"collection",
	),
	lifecycle: topic(
		"lifecycle, status, phase, stage, minting, minted out, mint out, mints out, sold out, " +
			"sell out, sells out, sellout, reveal, reveals, revealed, revealing, unrevealed, " +
			"mint live, mint open, mint over, mint done, mint closed, mint date, mint start, " +
			"mint starting, mint ended, too late to mint, out yet, when … mint, wen … mint, " +
			"still mint, secondary, mint status, mint phase, launched, launch date, drop date, " +
			"art reveal, metadata reveal, revealed yet, minting yet, minting still, still minting, " +
			"minting now, mint finished, mint … over, mint … live, mint … open, mint … ended, " +
			"mint … done, mint … closed, has … launched, when … launch, wen … launch, when … drop, " +
			"wen … drop, drop yet, mint window, sells … out, selling out",
		"floor",
		"sales",
		"sold",
		"volume",
		"mints",
		"collection",
		"order_book",
	),
	order_book: topic(
		"orderbook, orderbooks, ob, can i sell … for, sell … instantly, order book, book, bids, " +
			"bid, bidding, bidders, offer, offers, asks, listing, listings, listed, for sale, " +
			"on sale, up for sale, top bid, best bid, highest bid, top offer, best offer, " +
			"highest offer, wall … bid, bid side, ask side, spread, offer book, bid ladder, " +
			"cheapest listings, lowest listings, new listings, latest listings, will pay, " +
			"someone … pay, willing to pay, buy orders, sell orders, best price … sell, " +
			"highest offers, top bids, top offers, best bids, cheapest asks, lowest asks, " +
			"collection offer, collection offers, collection bid, collection bids",
		"floor",
		"sales",
		"sold",
		"collection",
	),
	depth: topic(
		"depth, liquidity, liquid, illiquid, thick, thin, deep, wall, walls, slippage, bid wall, " +
			"buy wall, ask wall, sell wall, listing wall, bid depth, ask depth, order book depth, " +
			"orderbook depth, book depth, floor depth, depth of … book, thinness, support, " +
			"resistance, sell pressure, buy pressure, bid support, bid side depth, ask side depth, " +
			"book … thin, book … thick, book … deep, bids … thin, bids … deep, listings … thin, " +
			"listings … thick, floor … thin, floor … thick, floor … deep, how liquid, how illiquid, " +
			"market depth",
		"floor",
		"sales",
		"sold",
		"collection",
		"order_book",
	),
	traits: topic(
		"trait, traits, attribute, attributes, rarest, rarest traits, rare traits, trait floor, " +
			"trait floors, traits floor, properties, property, features, trait list, attribute list, " +
			"trait breakdown, trait prices, trait price, trait rarity, traits price, per trait, " +
			"by trait, trait distribution, most valuable traits, traits … worth",
		"floor",
		"sales",
		"sold",
		"collection",
		"holders",
	),
	holders: topic(
		"who … hold, people … hold, ppl … hold, holder, holders, hodlers, hodler, owner, owners, owned, whale, whales, hold, holds, " +
			"holding, own, owns, owning, bagholders, bag holders, bags, wallets … hold, wallets, " +
			"who has … most, distribution, concentration, concentrated, ownership, whos got … most, " +
			"who got … most, who has got … most, hoarding, accumulating, accumulated, diamond hands, " +
			"community size, how many … hold, how many … own, collectors, top wallets, top wallet, " +
			"top holder, bagholder, holder base, holder list, owner list, owner count, holder count, " +
			"number of … holders, number of … owners, unique wallets, whos holding, who is holding, " +
			"who owns … most, who holds … most, holding … most",
		"floor",
		"collection",
	),
	token: topic(
		"token, rank, ranks, ranked, ranking, rarity, rare, rarer, how rare, owner, owns, owned, " +
			"holds, holding, has, trait, traits, attributes, price, worth, bought, last sale, floor, " +
			"about, details, info, tell me about, properties, listed, sold",
		"floor",
		"traits",
		"holders",
		"sales",
		"collection",
	),
	collection: topic(
		"% … listed, sum up, fill me in, fill … in on, wtf is, who is, alpha, numbers, figures, " +
			"stats, stat, statistics, info, infos, overview, summary, summarize, rundown, details, " +
			"data, tldr, breakdown, metrics, snapshot, recap, lowdown, scoop, intel, analysis, " +
			"report, deal with, tell me about, know about, up with, going on with, happening with, " +
			"new with, how is … doing, hows … doing, how's … doing, how are … doing, " +
			"how is … holding up, hows … holding up, supply, total supply, how many … listed, " +
			"how many … for sale, how many … on sale, how many … exist, how many … are there, " +
			"percent … listed, percentage … listed, listed count, listed supply, listing count, " +
			"number of … listings, number of … listed, how many … listings, story, glance, how big, " +
			"size of, size, background, basics, fundamentals, profile, performing, performance, " +
			"quick look, latest on, news on, news, scoop on, learn about, more about, info on, " +
			"everything about, everything on, on sale … how many, whats up with, holding up, " +
			"looking overall, deal",
		"floor",
		"order_book",
	),
	upcoming: topic(
		"upcoming, weekend, dropping, drops, drop, coming up, coming soon, next drop, next mint, " +
			"next mints, soon, launching, launches, launch, new drops, mints tomorrow, " +
			"minting tomorrow, minting soon, minting next, mint next, mint soon, upcoming mints, " +
			"upcoming mint, upcoming drops, upcoming drop, upcoming launches, tomorrow, tmrw, " +
			"calendar, mint calendar, scheduled, releasing, drops … today, future drops, next week, " +
			"going live, goes live, pipeline, planned, opening soon, drop next, drops next, " +
			"mints … coming, drops … coming, drops … weekend, mints … weekend, coming out, release, " +
			"releases, dropping next, launching next, next launch, when … next mint, " +
			"when … next drop",
		"discover",
	),
	trending: topic(
		"trending, top sellers, trend, hot, hottest, heating up, popping, popping off, pumping, " +
			"pumps, mooning, mooners, ripping, running, cooking, sending, flying, moving, movers, " +
			"gainers, winners, losers, aping, aping into, buying, trading, most traded, most bought, " +
			"most sales, most volume, top volume, highest volume, biggest volume, volume leaders, " +
			"top … by volume, top collections, top nfts, top projects, best selling, leaderboard, " +
			"popular, hype, hyped, hyping, selling, volume, volumes, everyone … into, most active, " +
			"active, big movers, outperforming, leading, leaders, top gainers, top losers, " +
			"biggest losers, on fire, exploding, going crazy, degens, meta, most hyped, rotating, " +
			"rotating into, top performing, top performers, best performing, people … buying, " +
			"ppl … buying, everyone … buying, people … trading, ppl … trading, everyone … trading, " +
			"people … aping, most popular, biggest movers, biggest gainers, lots of volume, " +
			"doing numbers, selling fast, up the most, up most, down the most, gained the most",
	),
	discover: topic(
		"discover, good to mint, worth minting, minting, mints, new, fresh, worth minting, can … mint, should … mint, " +
			"what to mint, market, market overview, nft market, the market, hot mints, new mints, " +
			"new collections, new projects, new nfts, alpha, live mints, mints live, " +
			"mints right now, mint right now, free mints, good mints, open mints, current mints, " +
			"mints … live, minting now, minting rn, minting today, minting right now, " +
			"how is the market, hows the market, people minting, ppl minting, everyone minting, " +
			"market today, market … looking, market … doing, state of the market, " +
			"state of the nft market, market update, market summary, market recap",
		"trending",
	),
	search: topic(
		"search, in the name, find, called, named, lookup, look up, search for, " +
			"collection called, collection named, project called, project named, exist, exists, " +
			"similar to, anything like, is there a collection, any collection, collections like, " +
			"collection like, with the name, have in the name, look for, searching for",
	),
};
