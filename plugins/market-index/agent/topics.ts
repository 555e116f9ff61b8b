// Lists the market's topics for the agent, with the words that mean them.

import type { Topic } from "#core/plugin/Tool.ts";

type Kind = Pick<Topic, "anyTime" | "ofName" | "ofToken">;

/** Says about an answer that is of now: a question about today asks for it. */
const NOW: Kind = { anyTime: true };

/**
 * Lists words by which questions about the market are recognised, each of which asks for just what
 * the answer contains. A similar word is left out: `losers` are no sales.
 */
const WORDS = {
	floor:
		"floor, floors, fp, floorprice, floor price, price floor, price, prices, priced, cost, " +
		"costs, cheapest, lowest, lowest price, lowest ask, cheapest ask, lowest listing, " +
		"cheapest listing, cheapest … listed, lowest … listed, cheapest one, lowest one, entry " +
		"price, entry, ask price, asking price, minimum price, min price, how low, worth, how " +
		"much is, how much are, how much for, how much, how much does … cost, how much … go for, " +
		"how much … going for, how much … worth, how cheap, how much … cost, go for, going for, " +
		"goes for, cost to buy, how expensive, price check, bottom price, sitting at, trading " +
		"at, listed at, what … at, flor, flr, bottom, get into, to get into, how much to get " +
		"into, way into, cheapest way into, cheapest … available, cheapest … on the market, " +
		"cheapest … for sale, where … trading, where … at, what's … at, whats … at, buy in, run " +
		"me, at what, current price, floor at, floor sitting, floor value, floor level, starting " +
		"price, starts at, least expensive, cheapest to buy, cheapest i can buy, cheapest … i " +
		"can buy, cheapest … can i buy, cheapest … to buy, cheapest i can, cheapest … i can, " +
		"cheapest … can i, most cheap, most cheap … i can buy, lowest listed, lowest … for sale, " +
		"how much to buy, how much … to buy, how much money, how much money for, how much would " +
		"… cost, would … cost, price tag, price of one, price for one, cost of one, how much for " +
		"one, how much is one, how much one, how much eth for, how many eth for, how much eth " +
		"is, lowest price … listed, lowest price … for sale, lowest price i can, lowest price … " +
		"can i",
	prices:
		"average price, avg price, mean price, average sale price, average sale, avg sale, " +
		"average … price, highest sale, highest sale price, biggest sale, top sale, most " +
		"expensive sale, highest … sale, biggest … sale, most expensive … sale, lowest sale, " +
		"lowest sale price, cheapest sale, price range, average … sell for, average … sold for, " +
		"prices paid, avg … price, average sale prices, average … go for, average paid, average " +
		"price paid, highest price paid, lowest price paid, highest and lowest, highest and " +
		"lowest sale, highest and lowest price, avg sale price, was the average, was the average " +
		"price, was … average price, average … sale price, was the average sale price, was the " +
		"highest sale, was the biggest sale, was the most expensive sale, avg price paid, mean " +
		"sale price",
	volume:
		"volume, volumes, vol, vols, turnover, trading volume, traded volume, trade volume, " +
		"traded, total volume, volume traded, how much volume, how much … volume, how much vol, " +
		"how much … vol, how much … traded, how much … trade, how much eth … traded, how much " +
		"eth … trade, eth traded, eth volume, how much eth … volume, total traded, how much eth " +
		"… do, how much eth … done, how much … changed hands, how much eth … changed hands, how " +
		"much eth … moved, how much … moved, how much money … moved, how much eth went through, " +
		"how much eth … through, turnover in eth, in volume, how much eth changed hands, how " +
		"many eth … traded, how much eth was traded, total … traded, sales volume, total sales " +
		"volume, volume done, was traded, was the volume, was … volume, how much was … traded, " +
		"how much has … traded, how much did … trade, how much have … traded, was the trading " +
		"volume, trading vol",
	sales:
		"sales, sale, last sale, last sales, last … sales, last … sale, latest sales, latest " +
		"sale, recent sales, recent sale, most recent sale, most recent sales, newest sales, " +
		"last few sales, few sales, sales history, sale history, sales feed, trades, last " +
		"trades, recent trades, latest trades, trade history, last sold, last … sold for, last … " +
		"sell for, last … go for, last … went for, sale price, sale prices, last sale price, " +
		"last sale prices, last few sale prices, most recent sale price, last sold price, buys, " +
		"recent buys, latest buys, last buys, recent purchases, purchases, last purchase, most " +
		"recent purchase, latest … sale, latest … sales, recent … sales, latest … go for, latest " +
		"… sold for, most recent … sale, most recent … sales, most recent buys, most recent buy, " +
		"last … sold, last … sold at, sold at, sold for, sell for, selling for, selling at, last " +
		"buy, clearing at, what … sell for, most recent … go for, most recent … sold for, " +
		"transactions, recent transactions, trade feed, recent trade, latest trade, last trade, " +
		"last price, previous sale, sold last, sold recently, recently sold, latest sold, most " +
		"recently sold, was the last sale, was … last sale, was the last sale price, was the " +
		"latest sale, was the most recent sale, were the last sales, were the latest sales, last " +
		"traded, last few prices, last print, last sales prices, last few sales prices, people " +
		"paying, ppl paying, last time … sold, sales lately, most recent sold, selling recently",
	sold:
		"sold, how many sold, how many … sold, how many … were sold, how many … sell, how many … " +
		"got sold, how many sales, how many … sales, number of sales, number of … sold, number " +
		"of … sales, sales count, sale count, count of sales, sales, trades, how many trades, " +
		"how many … trades, number sold, how many … bought, how many … traded, how many … move, " +
		"how many … changed hands, changed hands, sales number, count of … sold, how many sale, " +
		"how many sale … have, how much sales, how many have … sold, units sold, items sold, how " +
		"many items … sold, how many items sold, how many units sold, how many pieces sold, how " +
		"many were sold, how many have been sold, how many … been sold, been sold, were sold, " +
		"how many have sold, amount of sales, how many … have sold, number of trades, count of " +
		"trades, was … sold, how many got sold, sold how many, sold … how many, sold count, # " +
		"sold, # of … sold, how many sell",
	mints:
		"mints, minted, mint price, mint cost, mint count, mint progress, how many minted, how " +
		"many … minted, how many … were minted, how many mints, how many … mints, how fast … " +
		"minting, how fast … mint, minting speed, mint speed, mint rate, mint pace, minted so " +
		"far, mint … price, price to mint, cost to mint, how much to mint, how much … mint, how " +
		"much is … mint, recent mints, latest mints, last mints, supply minted, minted supply, " +
		"how much … minted, minted count, mint supply, people minting, ppl minting, anyone " +
		"minting, free mint, how quick … minting, how quickly … minting already, how quickly … " +
		"minting, left to mint, how many … left to mint, have been minted, how many … been " +
		"minted, been minted, how much of … minted, how much of … been minted, price of mint, " +
		"price of … mint, cost of mint, cost of … mint, how far … mint",
	lifecycle:
		"lifecycle, status, stage, phase, minting, still minting, minted out, mint out, sold " +
		"out, reveal, revealed, mint live, mint open, mint over, mint done, mint closed, mint " +
		"ended, mint finished, mint … live, mint … over, mint … open, mint … done, mint … " +
		"closed, mint status, mint stage, mint phase, fully minted, done minting, finished " +
		"minting, started minting, hidden, still hidden, closed, still open, still live, " +
		"completely minted, what stage, which stage, which phase, what phase, minting yet, " +
		"revealed yet, reveal yet, still mint, mint still, out yet, unrevealed, still minting " +
		"or, mint out yet, minted out yet, sold out yet, reveal status, minting now, how far … " +
		"reveal, how far … from reveal, already revealed, revealed already, been revealed, has … " +
		"revealed, finish minting, mintable, still mintable, minting still, already minted out, " +
		"mint still going, mint finish, can i still mint, still be minted, sell out, sold out " +
		"already, did … mint out, fully minted or still open, minted out or still minting, still " +
		"minting or done, still minting or sold out, still minting or minted out, revealed or " +
		"not, revealed or hidden, mint out already",
	order_book:
		"orderbook, order book, book, orders book, bids, bid, offers, offer, asks, listings, " +
		"listed, bids and asks, asks and bids, top bid, best bid, highest bid, top offer, best " +
		"offer, highest offer, top bids, best bids, highest bids, top offers, best offers, " +
		"highest offers, highest weth offer, cheapest listings, lowest listings, lowest asks, " +
		"cheapest asks, for sale, on sale, current bids, current offers, open offers, active " +
		"listings, order books, bidding, who bidding, spread, bid and ask, bid ask, ladder, best " +
		"listings, order flow, highest … will pay, orders, someone will pay, anyone will pay, " +
		"collection offers, collection bids, collection bid, offer depth and spread, spread " +
		"between floor and top offer, spread between … floor … top offer, spread between … floor " +
		"… best offer, spread between … floor … top bid, spread between … floor … best bid, " +
		"spread between … floor price … best offer, spread between … floor price … top offer, " +
		"spread between … floor price … best bid, spread between … floor price … top bid, spread " +
		"between bid and ask, spread between … bid … ask, spread between … ask … bid, bid ask " +
		"spread, best … offer, best … bid, top … offer, top … bid, highest … offer, highest … " +
		"bid, best collection offer, top collection offer, highest collection offer, collection " +
		"offer, offered, people offering, anyone offering, anybody offering, someone offering, " +
		"who's bidding, highest offer … have, best price … sell into, best offers … have",
	depth:
		"depth, liquidity, liquid, how liquid, how deep, how thin, how thick, market depth, " +
		"order book depth, orderbook depth, book depth, floor depth, bid depth, bid wall, bid " +
		"walls, ask wall, wall, walls, how deep … floor, how thin … floor, how thick … floor, " +
		"how deep … book, how thin … book, how thick … book, liquidity … floor, listing wall, " +
		"sell wall, buy wall, illiquid, stacked, bid side, sell into, how stacked, support, " +
		"floor support, bid support, offer depth, depth of … book, depth of … order book, how " +
		"much depth, how much liquidity, depth … offers, depth on the offers, offers depth, " +
		"depth on offer, how deep are bids, how deep … bids, how deep … offers, how deep … " +
		"market, how thin … listings, how thin … market, ask side depth, bid side depth, " +
		"liquidity near floor, liquidity near the floor, how liquid … floor",
	traits:
		"traits, trait, trait floors, trait floor, floor by trait, floors by trait, trait list, " +
		"trait prices, trait price, trait count, trait counts, attributes, attribute, which " +
		"traits, what traits, trait breakdown, traits … floors, all traits, all the traits, all " +
		"of the traits, list of traits, list of the traits, list of all traits, kinds of traits, " +
		"kind of traits, what kind of traits, trait types, types of traits, every trait, traits " +
		"list, traits exist, different traits, floor of each trait, floor for each trait, floors " +
		"per trait, floor per trait, floor prices per trait, trait floor prices, attribute list, " +
		"list of attributes, traits and … floors",
	holders:
		"holders, holder, owners, whales, top holders, biggest holders, largest holders, top " +
		"owners, biggest owners, top whales, biggest whales, top … holders, biggest … holders, " +
		"holder count, owner count, unique holders, unique owners, number of holders, number of " +
		"owners, number of unique owners, number of unique holders, how many holders, how many " +
		"owners, how many … holders, how many … owners, how many unique holders, how many unique " +
		"owners, how many people own, how many people hold, how many wallets hold, how many " +
		"wallets own, how many wallets, unique wallets, who holds the most, who holds, who owns, " +
		"who owns the most, who holds … most, who owns … most, who has the most, who has … most, " +
		"holder distribution, distribution, concentration, total holders, total owners, top " +
		"wallets, how many unique wallets, concentrated, how concentrated, how many ppl hold, " +
		"how many ppl own, how many people have, how many ppl have, how many wallets have, how " +
		"many people … own, how many people … hold, how many wallets … hold, how many unique " +
		"people own, holders count, owners count, hodlers, ownership, who are the biggest " +
		"holders, most of the supply, whale, biggest bags, biggest bag, largest holder, biggest " +
		"holder, top holder, how many peoples have, how many peoples own, how many peoples hold, " +
		"how many persons have, how many persons own, how many persons hold, how many person " +
		"have, how many person hold, how many person own, how many different people own, how " +
		"many different people hold, how many different wallets, how many different owners, how " +
		"many different holders, distinct holders, distinct owners, different holders, different " +
		"owners, number of wallets, number of wallets holding, how many wallets are holding, how " +
		"many people are holding, wallets holding, people holding, how many own, how many hold, " +
		"how many addresses hold, how many addresses own, how many users hold, how many users " +
		"own, how many accounts hold, who is holding the most, holding the most, holds most, " +
		"owns most, who have the most, who have most, who hold the most, who hold most, who own " +
		"the most, who own most, who got the most, who got most, who is the biggest holder, " +
		"who's the biggest holder, who is the top holder, who is the largest holder, most " +
		"holders, how many people got, how many ppl got, how many ppl holding, how many ppl are " +
		"holding, who is holding, who has most, who hold, who own, how many ppl … hold, how many " +
		"ppl … own, how many persons … hold, how many persons … own, biggest whale, top whale, " +
		"largest whale, largest whales, unique holder count, unique owner count, amount of " +
		"holders, amount of owners, holder list, list of holders, how many different wallets " +
		"hold, how many different wallets own, which wallets hold the most, which wallets own " +
		"the most, which wallet holds the most, which wallet owns the most, who's holding, whos " +
		"holding, holder numbers, how many holder, how many owner, how many unique holder, how " +
		"many unique owner",
	token_sale:
		"last sale, last sold, last sold for, last sell for, last … sell for, last sale price, " +
		"previous sale, most recent sale, last go for, last went for, last … go for, how much … " +
		"last sell for, did … sell, did … sell for, did … sell yet, did … sold, did … sold yet, " +
		"did … go for, has … sold, has … sold yet, has … been sold, has … been sold yet, sold " +
		"yet, sell yet, was the last sale, was the last sale price, was … last sale, was … last " +
		"sale price, was … sold for, was … last sold for, how much … sold for, sold for, sold " +
		"price, latest sale, latest sale price, recent sale, most recent sale price, last price, " +
		"last traded, last traded price, previous sale price, last sale value",
	token_listing:
		"listed, listing, for sale, on sale, listing price, ask, asking, asking price, price, " +
		"how much, how much is, how much … cost, cost, listed for, listed at, available, " +
		"listings, up for sale, still for sale, still listed, currently listed, list price, " +
		"listed price, on the market, being sold, currently for sale, listing status, can … be " +
		"bought, can be bought, asked for, how much … listed, how much … listed for, what … " +
		"listed for, list for, does … list for, what does … list for, listing for",
	token:
		"rank, rarity, rarity rank, rare, how rare, traits, trait, attributes, owner, who owns, " +
		"who holds, who has, whos got, holder, owned, info, details, about, token, look up, " +
		"lookup, stats, what rank, which rank, whose, who … owns, owns, belongs to, all the " +
		"traits, all traits, all its traits, its traits, ranked, ranking, rank number, rarity " +
		"ranking, who is the owner, who's the owner, current owner, who currently owns, who is " +
		"holding, who holds it, properties, owned by, how rare … is, what traits, which traits, " +
		"what are … traits, who own, who hold, who have, holding",
	collection:
		"stats, stat, info, overview, summary, details, data, rundown, tldr, about, supply, " +
		"total supply, how many exist, how many … exist, how many listed, how many … listed, how " +
		"many … are listed, how many listings, listed count, listed supply, number listed, how " +
		"many … for sale, number of listings, how many … there, total supply of, breakdown, " +
		"recap, snapshot, how is … doing, hows … doing, how's … doing, how are … doing, how is … " +
		"looking, hows … looking, tell me about, what is … about, percent listed, percentage " +
		"listed, listed percentage, what percent … listed, what percentage … listed, percent … " +
		"supply … listed, percentage … supply … listed, what percent … supply … listed, what " +
		"percentage … supply … listed, percent … listed, percentage … listed, how much of … " +
		"listed, how much of … supply … listed, how much … supply … listed, share … supply … " +
		"listed, share of … supply … listed, listed ratio, listing ratio, listed percent, listed " +
		"… supply ratio, supply … listed ratio, holders ratio, holder ratio, unique holders " +
		"ratio, unique owners ratio, unique holder ratio, owner ratio, how many items, how many " +
		"items … in total, how many pieces, how many nfts, how many tokens, how many … in total, " +
		"how many in total, how many total, number of items, number of tokens, number of nfts, " +
		"number of pieces, total items, total number, total number of items, total number of " +
		"nfts, total number of tokens, current supply, collection size, size, how big, how " +
		"large, key stats, key figures, quick stats, main stats, all the stats, all stats, all " +
		"info, all the info, general info, basic info, basic stats, how many are listed, how " +
		"many are … listed, amount listed, listed amount, how many … in circulation, how many " +
		"items … listed, how many nfts … listed, how many … are for sale, general overview, " +
		"general stats, what % … listed, % … listed, % of … listed, at a glance, how is … " +
		"performing, hows … performing, how's … performing, how are … performing, overall stats, " +
		"overall picture, main figures, tell me everything about, everything about, everything on",
	upcoming:
		"upcoming, upcoming mints, upcoming mint, upcoming drops, upcoming drop, upcoming " +
		"launches, next mint, next mints, next drop, next drops, dropping, dropping soon, " +
		"dropping next, coming up, coming soon, minting soon, minting next, mints soon, drops " +
		"soon, launching soon, launching, mint calendar, drop calendar, mints … coming, drops … " +
		"coming, launches, soon, what's next, whats next, drops next, mints next, mint soon, " +
		"drop soon, upcomin, mints coming up, drops coming up, mints coming, drops coming, about " +
		"to mint, going to mint, launching next, next launch, next launches, future drops, " +
		"future mints, scheduled mints, scheduled drops, mint schedule, drop schedule, planned " +
		"mints, planned drops, going to drop, will mint soon, mint next, drop next, new mints " +
		"coming, new drops coming, coming mints, coming drops, mints are coming, drops are " +
		"coming, starting soon, when is the next mint, when is the next drop, when's the next " +
		"mint, when's the next drop, next mint when, next drop when",
	trending:
		"trending, hot, hottest, most sales, most sold, top collections, top nfts, top projects, " +
		"top collection, popular, most popular, hot collections, hottest collections, trending " +
		"collections, moving, popping, popping off, best selling, most bought, most active, top " +
		"sellers, everyone buying, everybody buying, people buying, top trending, most trending, " +
		"trend, trends, trendy, what's hot, whats hot, what is hot, hot now, hot right now, most " +
		"hot, rank … by … sales, rank … by … sales count, by sales, by … sales, by sales count, " +
		"by … sales count, by number of sales, by … number of sales, selling most, selling the " +
		"most, selling best, sells the most, sell the most, sold the most, sold most, top " +
		"selling, top selling collections, bestselling, best sellers, biggest collections, top " +
		"nft collections, top nft projects, top trending nfts, trending nfts, trending nft, most " +
		"sold collections",
	top_volume:
		"trending by volume, most volume, top volume, by volume, highest volume, top by volume, " +
		"top collections by volume, most traded, most traded collections, volume leaders, " +
		"biggest volume, ranked by volume, hot by volume, most trading volume, by … volume, by " +
		"trading volume, by … trading volume, highest trading volume, biggest trading volume, " +
		"volume ranking, ranking by volume, ranked by … volume, rank … by volume, rank … by … " +
		"volume, rank … by … trading volume, sorted by volume, leaders by volume, traded the " +
		"most, trading the most, traded most, trades the most, volume leader, have the most " +
		"volume, has the most volume, has the highest volume, have the highest volume, did the " +
		"most volume, doing the most volume, top … by volume, top … by … volume, most traded … " +
		"collections, most traded nfts, most traded nft",
	gainers:
		"gainers, top gainers, biggest gainers, best gainers, biggest floor gainers, top gainer, " +
		"biggest gainer, pumping hardest, pumped most, gained most, gained the most, up the " +
		"most, up most, floors up, risers, top risers, biggest pumps, which … go up, which … " +
		"going up, which … goes up, which … went up, which … gone up, what's going up, whats " +
		"going up, what is going up, what went up, going up the most, gone up the most, went up " +
		"the most, go up the most, going up most, gone up most, went up most, went up hardest, " +
		"gained most value, gained the most value, gain the most, gaining the most, gaining " +
		"most, rose the most, rose most, risen the most, risen most, rising the most, rising " +
		"most, rising fastest, climbed the most, climbed most, increased the most, increased " +
		"most, pumped the most, pumped hardest, pumping the most, pumping most, best performing, " +
		"best performers, best performer, top performers, top performing, biggest winners, top " +
		"winners, winners, biggest risers, biggest rise, biggest floor rise, biggest floor " +
		"increase, jumped the most, jumped most, floors … up the most, floors … up most, mooned " +
		"hardest, rise the most, rise most, climb the most, pump the most, gain most",
	losers:
		"losers, top losers, biggest losers, worst losers, top loser, biggest loser, dumping " +
		"hardest, dumped most, lost most, down the most, down most, floors down, fallers, " +
		"biggest dumps, lost the most value, lost most value, lost the most, lose the most, lose " +
		"most, losing the most, losing most, losing the most value, fell the most, fell most, " +
		"fell hardest, fallen the most, fallen most, falling the most, falling most, falling " +
		"hardest, dropped the most, dropped most, dropped hardest, dropping the most, dropping " +
		"most, dropping hardest, got dumped, got dumped hardest, got dumped most, got dumped the " +
		"most, getting dumped, getting dumped hardest, getting dumped the most, dumped hardest, " +
		"dumped the most, dumping the most, crashed the most, crashed hardest, crashing the " +
		"most, crashing hardest, worst performing, worst performers, worst performer, which … go " +
		"down, which … going down, which … goes down, which … went down, which … gone down, " +
		"what's going down, whats going down, what is going down, what went down, went down the " +
		"most, went down most, went down hardest, going down the most, going down most, gone " +
		"down the most, gone down most, go down the most, declined the most, decreased the most, " +
		"biggest declines, biggest decline, biggest floor drops, biggest floor drop, biggest " +
		"fallers, bleeding the most, bleeding hardest, nuked hardest, nuking hardest, down " +
		"hardest, down the hardest, floors … down the most, floors … down most, tanked hardest, " +
		"tanked the most, fall the most, fall most, drop the most, drop most, dump the most, " +
		"crash the most, decline the most",
	discover:
		"discover, market, nft market, market overview, market doing, market looking, whole " +
		"market, moving, moving across, whole-market, across the market",
	minting:
		"minting, minting now, minting today, mints live, live mints, new mints, mints open, " +
		"what can i mint, what to mint, live drops, mints, open mints, current mints, hot mints, " +
		"minting live, live to mint, mint live, minting right now, being minted, open to mint, " +
		"available to mint, active mints, open drops, current drops, active drops, drops live, " +
		"drops open, drops are live, mints are live, mints are open, ongoing mints, ongoing " +
		"drops, people minting, which … can i mint, which … i can mint, what … i can mint, what " +
		"… can i mint, anything … i can mint, anything … can i mint, anything to mint, anything " +
		"… to mint",
	ended:
		"ended drops, past drops, ended mints, past mints, finished mints, closed mints, old " +
		"drops, mints … over, drops … over, mints … ended, closed drops, finished drops, " +
		"recently ended, drops … finished, mints … finished, drops … closed, mints … closed, " +
		"drops already ended, mints already ended, drops … ended, drops ended, mints ended, " +
		"drops already finished, mints already finished, drops already over, mints already over, " +
		"finished minting, drops … already over",
	search: "search, search for, called, named, named like",
};

/** How a floor of the past is asked for besides. */
const WAS = (
	"was the floor, was the price, what was … floor, what was … price, was … floor, was … " +
	"trading at, was … worth, how much was, what did … cost, did … cost, floor chart, floor " +
	"history, floor series, floor … series, floor … chart, floor … history, price history, " +
	"price chart, floor trend, floor price history, floor price chart, has … floor, floor " +
	"been, has … floor been, floor … been, did … floor"
).split(", ");

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
	minting: topic("minting", "", NOW),
	ended: topic("ended", ""),
	search: topic("search", ""),
};

/** Makes the topic of this name: its phrases, and the topics that it goes over. */
function topic(name: keyof typeof WORDS, over: string, kind: Kind = {}): Topic {
	const others = over === "" ? {} : { over: over.split(" ") };
	return { words: WORDS[name].split(", "), ...others, ...kind };
}
