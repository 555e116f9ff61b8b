// Lists the market's topics for the agent, with the words that mean them.

import type { Topic } from "#core/plugin/Tool.ts";

type Kind = Pick<Topic, "anyTime" | "ofName" | "ofToken">;

/** Says about an answer that is of now: a question about today asks for it. */
const NOW: Kind = { anyTime: true };

/**
 * Lists words by which questions about the market are recognised: about ten a topic, each of which
 * asks for just what the answer contains. A similar word is left out: `losers` are no sales.
 */
const WORDS = {
	floor:
		"floor, floors, fp, floorprice, floor price, price floor, price, prices, priced, cost, " +
		"costs, cheapest, lowest, lowest price, lowest ask, cheapest ask, lowest listing, " +
		"cheapest listing, cheapest … listed, lowest … listed, cheapest one, lowest one, entry " +
		"price, entry, ask price, asking price, minimum price, min price, how low, worth, how " +
		"much is, how much are, how much for, how much, how much does … cost, how much … go " +
		"for, how much … going for, how much … worth, how cheap, how much … cost, go for, " +
		"going for, goes for, cost to buy, how expensive, price check, bottom price, sitting " +
		"at, trading at, listed at, what … at, flor, flr, bottom, bottom price, get into, to " +
		"get into, how much to get into, way into, cheapest way into, cheapest … available, " +
		"cheapest … on the market, cheapest … for sale, where … trading, where … at, what's … " +
		"at, whats … at, buy in, run me, at what, current price, floor at, floor sitting",
	prices:
		"average price, avg price, mean price, average sale price, average sale, avg sale, average " +
		"… price, highest sale, highest sale price, biggest sale, top sale, most expensive sale, " +
		"highest … sale, biggest … sale, most expensive … sale, lowest sale, lowest sale price, " +
		"cheapest sale, price range, average … sell for, average … sold for, prices paid",
	volume:
		"volume, volumes, vol, vols, turnover, trading volume, traded volume, trade volume, " +
		"traded, total volume, volume traded, how much volume, how much … volume, how much " +
		"vol, how much … vol, how much … traded, how much … trade, how much eth … traded, how " +
		"much eth … trade, eth traded, eth volume, how much eth … volume, total traded, how " +
		"much eth … do, how much eth … done, how much … changed hands, how much eth … changed " +
		"hands, how much eth … moved, how much … moved, how much money … moved, how much eth " +
		"went through, how much eth … through, turnover in eth, in volume, how much eth " +
		"changed hands, how many eth … traded, how much eth was traded, total … traded",
	sales:
		"sales, sale, last sale, last sales, last … sales, last … sale, latest sales, latest " +
		"sale, recent sales, recent sale, most recent sale, most recent sales, newest sales, " +
		"last few sales, few sales, sales history, sale history, sales feed, trades, last " +
		"trades, recent trades, latest trades, trade history, last sold, last … sold for, " +
		"last … sell for, last … go for, last … went for, sale price, sale prices, last sale " +
		"price, last sale prices, last few sale prices, most recent sale price, last sold " +
		"price, buys, recent buys, latest buys, last buys, recent purchases, purchases, last " +
		"purchase, most recent purchase, latest … sale, latest … sales, recent … sales, " +
		"latest … go for, latest … sold for, most recent … sale, most recent … sales, most " +
		"recent buys, most recent buy, last … sold, last … sold at, sold at, sold for, sell " +
		"for, selling for, selling at, last buy, clearing at, what … sell for, most recent … " +
		"go for, most recent … sold for, transactions, recent transactions, trade feed, " +
		"recent trade, latest trade, last trade, last price, last sold price, previous sale",
	sold:
		"sold, how many sold, how many … sold, how many … were sold, how many … sell, how many " +
		"… got sold, how many sales, how many … sales, number of sales, number of … sold, " +
		"number of … sales, sales count, sale count, count of sales, sales, trades, how many " +
		"trades, how many … trades, number sold, how many … bought, how many … traded, how " +
		"many … move, how many … changed hands, changed hands, sales number, count of … sold",
	mints:
		"mints, minted, mint price, mint cost, mint count, mint progress, how many minted, " +
		"how many … minted, how many … were minted, how many mints, how many … mints, how " +
		"fast … minting, how fast … mint, minting speed, mint speed, mint rate, mint pace, " +
		"minted so far, mint … price, price to mint, cost to mint, how much to mint, how " +
		"much … mint, how much is … mint, recent mints, latest mints, last mints, supply " +
		"minted, minted supply, how much … minted, minted count, mint supply, people " +
		"minting, ppl minting, anyone minting, free mint, how quick … minting, how quickly … " +
		"minting already, how quickly … minting, " +
		"left to mint, how many … left to mint",
	lifecycle:
		"lifecycle, status, stage, phase, minting, still minting, minted out, mint out, sold " +
		"out, reveal, revealed, mint live, mint open, mint over, mint done, mint closed, mint " +
		"ended, mint finished, mint … live, mint … over, mint … open, mint … done, mint … " +
		"closed, mint status, mint stage, mint phase, fully minted, done minting, finished " +
		"minting, started minting, hidden, still hidden, closed, still open, still live, " +
		"completely minted, what stage, which stage, which phase, what phase, minting yet, " +
		"revealed yet, reveal yet, still mint, mint still, out yet, unrevealed, still minting " +
		"or, mint out yet, minted out yet, sold out yet, reveal status, minting now",
	order_book:
		"orderbook, order book, book, orders book, bids, bid, offers, offer, asks, listings, " +
		"listed, bids and asks, asks and bids, top bid, best bid, highest bid, top offer, " +
		"best offer, highest offer, top bids, best bids, highest bids, top offers, best " +
		"offers, highest offers, highest weth offer, cheapest listings, lowest listings, " +
		"lowest asks, cheapest asks, for sale, on sale, current bids, current offers, open " +
		"offers, active listings, order books, bidding, who bidding, spread, bid and ask, " +
		"bid ask, ladder, best listings, order flow, highest … will pay, orders, someone " +
		"will pay, anyone will pay, " +
		"collection offers, collection bids, collection bid",
	depth:
		"depth, liquidity, liquid, how liquid, how deep, how thin, how thick, market depth, " +
		"order book depth, orderbook depth, book depth, floor depth, bid depth, bid wall, " +
		"bid walls, ask wall, wall, walls, how deep … floor, how thin … floor, how thick … " +
		"floor, how deep … book, how thin … book, how thick … book, liquidity … floor, " +
		"listing wall, sell wall, buy wall, illiquid, stacked, bid side, sell into, how " +
		"stacked, support, floor support, bid support",
	traits:
		"traits, trait, trait floors, trait floor, floor by trait, floors by trait, trait " +
		"list, trait prices, trait price, trait count, trait counts, attributes, attribute, " +
		"which traits, what traits, trait breakdown, traits … floors",
	holders:
		"holders, holder, owners, whales, top holders, biggest holders, largest holders, top " +
		"owners, biggest owners, top whales, biggest whales, top … holders, biggest … holders, " +
		"holder count, owner count, unique holders, unique owners, number of holders, number " +
		"of owners, number of unique owners, number of unique holders, how many holders, how " +
		"many owners, how many … holders, how many … owners, how many unique holders, how many " +
		"unique owners, how many people own, how many people hold, how many wallets hold, how " +
		"many wallets own, how many wallets, unique wallets, who holds the most, who holds, " +
		"who owns, who owns the most, who holds … most, who owns … most, who has the most, who " +
		"has … most, holder distribution, distribution, concentration, total holders, total " +
		"owners, top wallets, how many unique wallets, concentrated, how concentrated, how " +
		"many ppl hold, how many ppl own, how many people have, how many ppl have, how many " +
		"wallets have, how many people … own, how many people … hold, how many wallets … hold, " +
		"how many unique people own, holders count, owners count, hodlers, ownership, who are " +
		"the biggest holders, most of the supply, whale, biggest bags, biggest bag, largest " +
		"holder, biggest holder, top holder",
	token_sale:
		"last sale, last sold, last sold for, last sell for, last … sell for, last sale price, previous " +
		"sale, most recent sale, last go for, last went for, last … go for, how much … last sell for",
	token_listing:
		"listed, listing, for sale, on sale, listing price, ask, asking, asking price, price, how much, " +
		"how much is, how much … cost, cost, listed for, listed at, available, listings",
	token:
		"rank, rarity, rarity rank, rare, how rare, traits, trait, attributes, owner, who " +
		"owns, who holds, who has, whos got, holder, owned, info, details, about, token, look " +
		"up, lookup, stats, what rank, which rank, whose, who … owns, owns, belongs to",
	collection:
		"stats, stat, info, overview, summary, details, data, rundown, tldr, about, supply, " +
		"total supply, how many exist, how many … exist, how many listed, how many … listed, " +
		"how many … are listed, how many listings, listed count, listed supply, number " +
		"listed, how many … for sale, number of listings, how many … there, total supply of, " +
		"breakdown, recap, snapshot, how is … doing, hows … doing, how's … doing, how are … " +
		"doing, how is … looking, hows … looking, tell me about, what is … about, " +
		"percent listed, percentage listed, listed percentage",
	upcoming:
		"upcoming, upcoming mints, upcoming mint, upcoming drops, upcoming drop, upcoming " +
		"launches, next mint, next mints, next drop, next drops, dropping, dropping soon, " +
		"dropping next, coming up, coming soon, minting soon, minting next, mints soon, " +
		"drops soon, launching soon, launching, mint calendar, drop calendar, mints … " +
		"coming, drops … coming, launches, soon, what's next, whats next, drops next, mints " +
		"next, mint soon, drop soon, upcomin, mints coming up, drops coming up",
	trending:
		"trending, hot, hottest, most sales, most sold, top collections, top nfts, top " +
		"projects, top collection, popular, most popular, hot collections, hottest " +
		"collections, trending collections, moving, popping, popping off, best selling, most " +
		"bought, most active, top sellers, everyone buying, everybody buying, people buying",
	top_volume:
		"trending by volume, most volume, top volume, by volume, highest volume, top by volume, top " +
		"collections by volume, most traded, most traded collections, volume leaders, biggest volume, " +
		"ranked by volume, hot by volume, most trading volume",
	gainers:
		"gainers, top gainers, biggest gainers, best gainers, biggest floor gainers, top gainer, " +
		"biggest gainer, pumping hardest, pumped most, gained most, gained the most, up " +
		"the most, up most, floors up, risers, top risers, biggest pumps",
	losers:
		"losers, top losers, biggest losers, worst losers, top loser, biggest loser, dumping " +
		"hardest, dumped most, lost most, down the most, down most, floors down, fallers, biggest dumps",
	discover:
		"discover, market, nft market, market overview, minting, minting now, minting today, " +
		"mints live, live mints, new mints, mints open, what can i mint, live drops, mints, " +
		"open mints, current mints, what to mint, market doing, market looking, whole " +
		"market, moving, moving across, whole-market, across the market, hot mints",
	ended:
		"ended drops, past drops, ended mints, past mints, finished mints, closed mints, old " +
		"drops, mints … over, drops … over, mints … ended, closed drops, finished drops, " +
		"recently ended, drops … over, drops … finished, mints … finished, drops … closed, " +
		"mints … closed, drops already ended, mints already ended",
	search: "search, search for, called, named, named like",
};

/** Lists further wordings of a question for a floor of the past. */
const WAS = [
	...["was the floor", "was the price", "what was … floor", "what was … price", "was … floor"],
	...["was … trading at", "was … worth", "how much was", "what did … cost", "did … cost"],
];

const floor = topic("floor", "search");

/** The topics of questions about the market. Of two that fit, one may go over the other. */
export const topics = {
	floor: { ...floor, ...NOW },
	past_floor: { ...floor, words: [...floor.words, ...WAS] },
	prices: topic("prices", "floor past_floor sales sold volume search"),
	volume: topic("volume", "search"),
	sales: topic("sales", "search"),
	sold: topic("sold", "sales search"),
	mints: topic("mints", "search"),
	lifecycle: topic("lifecycle", "search", NOW),
	order_book: topic("order_book", "search", NOW),
	depth: topic("depth", "search", NOW),
	traits: topic("traits", "search"),
	holders: topic("holders", "search", NOW),
	token: topic("token", "holders traits collection search", { ofToken: true }),
	token_sale: topic("token_sale", "token sales sold floor token_listing search"),
	token_listing: topic("token_listing", "token floor order_book collection search"),
	collection: topic("collection", "search", { ...NOW, ofName: true }),
	upcoming: topic("upcoming", ""),
	trending: topic("trending", ""),
	top_volume: topic("top_volume", "trending volume"),
	gainers: topic("gainers", "trending"),
	losers: topic("losers", "trending"),
	discover: topic("discover", "", NOW),
	ended: topic("ended", ""),
	search: topic("search", ""),
};

/** Makes the topic of this name: its phrases, and the topics that it goes over. */
function topic(name: keyof typeof WORDS, over: string, kind: Kind = {}): Topic {
	const others = over === "" ? {} : { over: over.split(" ") };
	return { words: WORDS[name].split(", "), ...others, ...kind };
}
