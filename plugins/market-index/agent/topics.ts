import type { Topic } from "#core/plugin/Command.ts";

/**
 * Makes a topic of phrases, separated by commas: `minted out`, or with words in between `how many …
 * listed`.
 */
function topic(words: string, ...over: string[]): Topic {
	return { words: words.split(", "), over };
}

/** Makes a topic whose answer is the price of now, which one in the question is compared with. */
function ofPrice(words: string, ...over: string[]): Topic {
	return { ...ofNow(words, ...over), takesPrice: true };
}

/** Makes a topic whose answer is of now: a length of time in the question is left out. */
function ofNow(words: string, ...over: string[]): Topic {
	return { ...topic(words, ...over), anyTime: true };
}

const SALES =
	"anything sell, anything sold, anything … sell, anything … sold, anyone sell, anyone sold, they pay, did they pay, they paid, previous sale, previous sales, prior sale, traded hands, trade hands, change hands, changing hands, swapped hands, they sell, people sell, ppl sell, did … sell, how many … sell, how much … sell, sell … of, ever sell, tape, prints, print, printing, printed, fills, filled, clearing, clearing at, cleared, cleared at, clear at, sold at, sold for, selling at, selling for, sell for, sells for, last sell, last sells, few sells, last buy, last buys, recent buy, recent buys, most recent buy, latest buy, latest buys, sellers, seller, flippers, flipper, flipping, sale price, sale feed, trade feed, trade log, sales log, sales tape, paid, paying, last paid, paid for, pay … last, just sell, just sold, just bought, just … sell, just … sold, anyone … sell, anyone … sold, people … pay, ppl … pay, market activity, buying activity, selling activity, last transaction, latest transaction, last few sold, last ones sold, latest sold, last one sold, last to sell, most recent, went for, go for … last, cleared for, exec price, executed, sell recently, moved recently, sale … price, price … sold, sold … price, how much … last … sell, how much … last … go, last … fetch, fetched, fetching, offloading, offloaded, unloading, unloaded, dumped on, taking profit, sale, trade prints, order flow, " +
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
	floor: ofPrice(
		"trade at, trades at, trading at, trade for, trades for, trading for, price wise, pricewise, price-wise, price … doing, doing … price, how much do i need, how much eth do i need, how much eth do you need, how much eth do i pay, how much eth … need, how much do you need, how much do i pay, how much do i have to pay, how much should i pay, how much would i pay, how much i need, how much money … need, how far … fell, how far … drop, how far … down, how much … fall, how much … drop, how much … dropped, where's … trading, wheres … trading, where is … trading, where are … trading, where … trading, where … sitting, where … at, least … pay, least … cost, least … get, least … buy, how little, lowest … purchased, cheapest … purchased, lowest … bought, cheapest … bought, can … be purchased, can … be bought, can … be had, could … be had, how did … floor … do, how … floor … doing, hows … floor … doing, how's … floor … doing, how … floor … looking, hows … floor … looking, how's … floor … looking, how … floor … holding, hows … floor … holding, how's … floor … holding, what did … floor … do, tank, tanks, floored, flooring, bottoming, bottomed, bottom out, bottoming out, bottomed out, hovering, hover, min price, minimum price, lowest one, cheapest one, lowest … listed, lowest available, cheapest available, one … cost, get into, getting into, get in, getting in, to own a, pricey, expensive, affordable, afford, going rate, market value, fair value, fair price, dip, dips, dipped, dipping, bleed, bleeding, bled, recover, recovered, recovering, recovery, rip, ripping, ripped, tank, tanks, nuke, nukes, crash, crashes, slipping, slipped, sliding, climbing, climbed, climb, rally, rallied, rallying, bounce, bounced, bouncing, rebound, rebounded, price change, floor change, gone up, went up, going up, go up, gone down, went down, going down, go down, sink, sinking, sank, tumble, tumbled, tumbling, plunge, plunged, pump or dump, trading around, trading for, going around, goes around, sits at, sit at, stand at, stands at, standing at, hanging at, hanging around, holding at, at what, currently at, asking for, asking, ppl … asking, cheapest … buy, cheapest … grab, cheapest … get, entry point, entry cost, how much … for a, how much … for one, how much … for the, floor rn, floor price rn, cheapest one listed, quote me, ticket, whats the damage, what's the damage, " +
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
		"search",
	),
	volume: topic(
		"flowing, flowed, how busy, busy, eth … flowing, eth … into, eth … in, how traded, heavily traded, how heavy, eth … went through, eth … through, went through, eth … flowed, eth … flow, eth … moved, eth … volume, eth … change hands, eth … changed hands, money … moved, money … through, money … traded, money … changed hands, money … change hands, total traded, traded total, total … traded, total … trades value, notional, dollar volume, usd volume, eth worth, worth … traded, worth … changed hands, worth … sold, trade volume, market volume, how active, how much … volume … do, how much … trading, how much … changed hands, how much … move, how much … moved, how much … been traded, eth … traded, weth … traded, sum … sales, sum … traded, throughput, inflow, inflows, trading amount, amount traded, amount … traded, eth amount, how much … sold for in total, total sales value, value … sales, sales … in eth, total eth, eth total, vol check, " +
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
		"search",
	),
	sales: topic(SALES, "floor", "collection", "search"),
	sold: topic(SALES, "floor", "sales", "collection", "search"),
	mints: ofNow(
		"supply minted, supply … minted, of supply minted, of the supply, velocity, how quick … minting, how slow … minting, minting slow, charging to mint, charge … mint, charging … mint, ppl … minting, people … minting, anyone … minting, minting … stuck, how quick … going, how fast … going, how quickly … going, rate … minting, rate … mint, wallets … minting, wallets minting, wallets … minted, been minting, people minting, ppl minting, anyone minting, someone minting, everyone minting, folks minting, who's minting, whos minting, mint moving, mint going, mint going well, mint … going, mint … moving, mint … doing, mint … looking, mint pricing, mint costs, mint for free, free to mint, per mint, mint cap, unminted, not minted, left unminted, how much left, how much … left, how many remain, remain, remains, how many … remain, number minted, amount minted, minted number, minted amount, total minted, total mints, minted out of, mint demand, mint stats, minting speed, minting rate, mints an hour, mints per hour, mints in, minted in, how much … minted, how many people minted, how many wallets minted, mint left, mint remaining, far along … mint, mint … far along, mint … along, mint … costs, mint … cost, mint … price, price … mint, costs … mint, cost … mint, whats left … mint, what's left … mint, left to be minted, available to mint, mint … slow, minting … slow, minting slow, minting quickly, mint … quickly, minted … so far, how many … mint, how quickly … mint, how quick … mint, pace of mint, pace … mint, percent through … mint, % minted, minted %, percent … mint, minted share, mint going fast, mint count so far, " +
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
		"search",
	),
	lifecycle: ofNow(
		"pre or post, pre/post, art drop, art dropped, art drop yet, art yet, has … art, art still hidden, art hidden, art … hidden, minting concluded, mint concluded, concluded, finished, mint wrapped, wrapped up, still … mint, out of supply yet, is … out of supply, run out of supply, ran out of supply, presale, pre-sale, allowlist phase, public phase, public sale, whitelist phase, wl phase, mint phase, primary sale, primary sale … complete, primary … complete, primary mint, sale … complete, sale complete, sale over, sale … over, open phase, pre reveal, pre-reveal, prereveal, post reveal, post-reveal, postreveal, art out, art … out, art … revealed, art … live, metadata … out, metadata … revealed, metadata out, mint still going, still going, done minting, finished minting, mint finished, started minting, mint started, minting over, minting done, finished mint, soldout, sold-out, mint-out, mintout, minted-out, closed, mint wen, reveal wen, when … minting, when … reveal, wen … reveal, when's … reveal, whens … reveal, reveal time, reveal when, when's … mint, whens … mint, begin minting, begins, mint begin, mint begins, mint starts, mint … start, mint … starts, starts minting, start minting, start date, on secondary, gone secondary, sale open, still open, open yet, live yet, gone live, go live, went live, is … live, still live, already live, has … dropped, dropped yet, already out, mint up, sold out or, minted out or, revealed or, reveal … happen, reveal happen, reveal happened, reveal … happened, reveal … done, reveal … over, reveal … coming, reveal … soon, reveal soon, placeholder, placeholders, hidden, unreveal, unrevealed still, still unrevealed, still hidden, images … out, pics … out, what phase, which phase, what stage, which stage, mint phase, mint stage, how far … launch, mint finished or, out of mint, completely minted, fully minted, minted fully, all minted, all … minted, mint ends, mint end, mint … end, mint … ends, ends minting, " +
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
		"search",
	),
	order_book: topic(
		"asks and bids, bids and asks, bid and ask, ask and bid, bid ask, bid/ask, buy side, sell side, sell-side, buy-side, best ask, second cheapest, next cheapest, ask ladder, ladder, undercut, undercuts, undercutting, just listed, newly listed, newest listings, recent listings, recently listed, latest listed, last listed, listed recently, get for, bidder, highest bidder, top bidder, open offers, active offers, active bids, active listings, active orders, open orders, current offers, current bids, current listings, standing offers, standing bids, standing bid, wants to buy, want to buy, looking to buy, trying to buy, trying to sell, weth offers, weth bids, orders, instant sell, sell into, dump into, sell now, cash out, cash out price, exit price, sell price, who … bidding, who's … bidding, whos … bidding, listed under, listed near, near floor listings, listings near floor, floor listings, floor bids, bids near floor, bids at, offers at, offers over, offers above, biggest bid, biggest bids, biggest offer, strongest bid, lowball, lowballs, lowballing, listing feed, listings feed, who wants, " +
			"orderbook, orderbooks, ob, can i sell … for, sell … instantly, order book, book, bids, " +
			"bid, bidding, bidders, offer, offers, asks, listing, listings, listed, for sale, " +
			"on sale, up for sale, top bid, best bid, highest bid, top offer, best offer, " +
			"highest offer, wall … bid, bid side, ask side, spread, offer book, bid ladder, " +
			"cheapest listings, lowest listings, new listings, latest listings, will pay, " +
			"someone will pay, someone would pay, anyone will pay, willing to pay, buy orders, sell orders, best price … sell, " +
			"highest offers, top bids, top offers, best bids, cheapest asks, lowest asks, " +
			"collection offer, collection offers, collection bid, collection bids",
		"floor",
		"sales",
		"sold",
		"collection",
		"search",
	),
	depth: topic(
		"bids … under, bids … below, asks … above, listings … above, support … below, support … under, how much support, support … floor, liquidity … to sell, bids … underneath, bids … beneath, asks … over, without nuking, without tanking, without moving, without crashing, without dumping, without killing, without slippage, without wrecking, slip, walls, how stacked, stacked, wall of asks, wall of bids, bid support, support below, support under, how many … to move, sell into floor, book … stacked, book … thick, deep book, thin book, thick book, bids … thick, bids … stacked, floor … stacked, floor … support, supported, asks … thin, asks … thick, asks … stacked, offers … thin, offers … thick, offers … deep, how deep … offers, how deep … bids, how deep … asks, how thick … bids, how thick … asks, how thin … bids, how thin … asks, how thin … listings, book … healthy, order book … thin, order book … deep, order book … thick, orderbook … thin, orderbook … thick, orderbook … deep, ob … thin, ob … thick, ob … deep, ob depth, absorb, absorbs, absorption, liquidity check, liquidity profile, bid ask depth, market deep, market thin, market liquid, how much liquidity, liquidity … floor, orders … deep, " +
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
		"search",
	),
	traits: topic(
		"background, backgrounds, headwear, eyewear, one of ones, 1/1s, 1/1, scarce, scarcity, cheapest per trait, attributes … premium, traits … premium, trait … premium, premium, rare traits, trait rarity, trait values, trait value, traits value, best traits, top traits, grail, grails, grail traits, grail trait, most valuable trait, trait premium, trait premiums, premium traits, valuable traits, trait counts, trait count, trait overview, trait stats, trait data, trait floors, floors by trait, floor per trait, floor by trait, floor price by trait, floors per trait, price by trait, prices by trait, prices per trait, price per trait, rarest attribute, rarest attributes, rare attributes, attribute floors, attribute rarity, rarest combos, rarities, rarity breakdown, rarity distribution, rarity chart, rarity table, rarity list, rarest stuff, what … rarest, whats … rarest, what's … rarest, scarcest, scarce traits, uncommon traits, most common trait, most common traits, common traits, which traits, what traits, traits worth, traits … most, trait … most, " +
			"trait, traits, attribute, attributes, rarest, rarest traits, rare traits, trait floor, " +
			"trait floors, traits floor, properties, property, features, trait list, attribute list, " +
			"trait breakdown, trait prices, trait price, trait rarity, traits price, per trait, " +
			"by trait, trait distribution, most valuable traits, traits … worth",
		"floor",
		"sales",
		"sold",
		"collection",
		"holders",
		"search",
	),
	holders: topic(
		"biggest wallet, largest wallet, single wallet, top bag, that hold, which hold, wallets that hold, people that hold, that own, wallets that own, people that own, who own, majority, monopolized, most of, spread out, spread around, how spread, well distributed, evenly distributed, one guy, one wallet, single wallet, one whale, few wallets, few whales, few people, handful of wallets, whale wallets, big wallets, biggest wallets, largest wallets, biggest bag, biggest bags, fattest bag, fattest bags, largest bag, largest holders, largest holder, biggest holders, biggest holder, top owner, top owners, biggest owner, biggest owners, most bags, bag, bagged, hodl, hodling, hodls, held, held by, held in, hold rate, unique hodlers, wallet count, addresses, unique addresses, how many addresses, how many wallets, number of wallets, wallets … in, members, community, how many people … in, how many ppl … in, people … own, ppl … own, people … holding, ppl … holding, controls, control, who controls, loaded up, loaded on, stacking, who's stacking, whos stacking, who … stacking, who's … holding, whos … holding, who's … hoarding, who … hoarding, who … most, whos … most, who's … most, who … owns, decentralized, centralised, centralized, top heavy, holder split, holder spread, owner split, supply held, supply … held, supply … spread, supply … distributed, distributed, holder growth, holder stats, unique owner, unique owners, unique holder, unique holders, distinct owners, distinct holders, individual holders, actual holders, real holders, " +
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
		"search",
	),
	token: topic(
		"no., rare or, whose, whose wallet, who's got, whos got, who … got, rarity score, rarity rank, good rank, which rank, what rank, rank … at, ranked at, is … rare, is it rare, how … rare, who … own, who … owns, who … has, who … hold, who … holds, owned by, holder, holder of, belongs, belong to, belongs to, in … wallet, wallet, pull up, look at, show, check, checking, look up, lookup, what's, whats, what is, score, special, last price, last sold, stats, stat, traits on, any good, good one, decent, attributes of, properties of, " +
			"token, rank, ranks, ranked, ranking, rarity, rare, rarer, how rare, owner, owns, owned, " +
			"holds, holding, has, trait, traits, attributes, price, worth, bought, last sale, " +
			"about, details, info, tell me about, properties, listed, sold",
		"floor",
		"traits",
		"holders",
		"sales",
		"collection",
		"search",
	),
	collection: ofNow(
		"what kind of, what sort of, what type of, eli5, facts, owners vs supply, holders vs supply, listed vs supply, supply vs listed, supply vs owners, supply vs holders, listed vs owners, listed vs holders, owners vs listed, holders vs listed, heard of, heard about, explain, the vibe, vibe on, vibe with, vibes on, vibe check, all you know, what you know, everything you know, what do you know, dead or, alive, still alive, up w, up with, good with, the deal, what's good with, whats good with, how … doing, how's … going, hows … going, how … going, how's … holding, hows … holding, how … holding up, how … looking, hows … looking, how's … looking, how's … been doing, how … performing, catch me up, brief me, brief on, break down, breakdown of, up to speed, sitrep, health, health check, vitals, full picture, big picture, the skinny, quick rundown, the works, everything, cliff notes, cliffnotes, crash course, briefing, dossier, card, fact sheet, key numbers, key stats, main stats, main numbers, all numbers, full stats, quick stats, basic stats, basic info, general info, how many … in circulation, in circulation, circulation, circulating, circulating supply, max supply, supply size, collection size, size of collection, how large, how many … total, how many … in total, how many … there, how many nfts, how many pieces, how many items, how many tokens, how many … out there, how many … listed … now, listed … how many, listed percentage, listed percent, listed share, share … listed, share listed, number listed, amount listed, total listed, total listings, listings count, listed ratio, listing ratio, listing rate, how much … listed, how much … supply … listed, supply … listed, supply listed, what share, what fraction, whats … about, what's … about, what is … about, what are … about, who are, tell me … about, tell me more, give me … on, gimme … on, anything on, any info, any news, news, word on, info about, infos on, intel on, read on, what happened to, what happened with, happened to, happened with, what … up to, state of, whats new, what's new, how has … been, how have … been, been doing, hows it going, " +
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
		"search",
	),
	upcoming: ofNow(
		"next … mint, next … drop, next … launch, what drops, upcoming stuff, upcoming launches, any drops, any launches, next up, drops soon, drop soon, drops coming, drops … soon, launching soon, launching … soon, launch soon, launches soon, minting … soon, mints … soon, mints … tomorrow, mints … next, drops … next, drops … tomorrow, drops … week, mints … week, drop schedule, drops schedule, mint schedule, launch schedule, launch calendar, drop calendar, schedule, on deck, lined up, in the pipeline, about to drop, about to mint, about to launch, about to go live, future mints, later today, tonight, this weekend, next few days, coming days, new releases, announced, countdown, premint, not out yet, yet to mint, yet to drop, " +
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
		"top … nfts, top … collections, top … projects, top … mints, top collection, most … volume, most … traded, most … sales, most … active, most … bought, most … hyped, biggest … volume, biggest … movers, biggest … gainers, biggest winners, biggest winner, top … movers, top … gainers, top mover, top gainer, top ten, top 10, top 5, top 20, top list, ranking, rankings, ranked by volume, by volume, by sales, sorted by volume, everyone … buying, everyone … trading, everyone … aping, everyone … on, everybody, people … in, people … into, ppl … into, degens … aping, degens … buying, degens … into, what's … sending, whats … sending, sends, ripper, rippers, runners, runner, pumpers, most pumped, pumped the most, up big, biggest pump, biggest pumps, up today, action … today, where … action, where's the action, wheres the action, action … at, where … volume, where … money, money … going, where … eth … going, rotation, flavor, flavour, talk of the town, buzz, buzzing, heat, heating, hottest … now, all the rage, popping … off, taking off, took off, blowing up, blew up, trending … now, whats … hot, what's … hot, going off, on the move, movin, big volume, high volume, most liquid, best performers, best performing, performing best, worst performing, worst performers, fastest, selling … most, sold … most, sold the most, traded the most, volume … today, " +
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
	discover: ofNow(
		"live to mint, live … mint, open to mint, left to mint, nft land, nftland, nft world, nft twitter, the nft game, nft markets, market wide, market-wide, marketwide, across the market, across … market, whole market, nft space, nft scene, the space, the scene, how … market, hows … market, how's … market, market vibe, market vibes, market mood, market pulse, market snapshot, market check, market stats, market … like, market … alive, market … dead, anything … moving, anything moving, anything … happening, anything happening, what's happening, whats happening, mints … now, mints … rn, mint … now, mint … rn, mint today, mints today, mints … today, mintable, mintable now, what … minting, whats … minting, what's … minting, which … minting, anything … mint, something … mint, stuff … mint, live mint, mint live, live … mints, open … mints, mints … open, free mint, free … mints, hot … mints, new … mints, good … mints, cool mints, cool … mints, ongoing mints, active mints, mints active, mints ongoing, currently minting, minting at the moment, minting this second, minting as we speak, in mint, gm whats, anything new, anything fresh, anything good, anything hot, whats good, what's good, whats poppin, explore, browse, surprise me, " +
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
	ended: ofNow(
		"mints … closed, mints closed, mints … ended, mints ended, mints are over, mints already over, mints … finished, mints … done, " +
			"drops … closed, drops … ended, drops ended, drops are over, drops already over, drops … finished, drops … done, closed mints, ended mints, ended drops, " +
			"finished mints, finished drops, past mints, past drops, old mints, old drops, previous mints, previous drops, last mints, recent mints, recently minted, " +
			"missed mints, mints … missed, drops … missed, mints … minted out, mints … sold out, drops … sold out, mints that ended, what … minted out, which … minted out, what … sold out, which … sold out, " +
			"mints … past, just minted out, just sold out, recently sold out, completed mints, completed drops, mints … completed",
		"upcoming",
		"discover",
		"trending",
	),
	search: topic(
		"contract, has word, the word, keyword, with word, with the word, has the word, contains the word, word, anything with, anything … named, anything … called, something called, something named, something like, named something, called something, named like, called like, sounds like, similar, similar name, name like, name contains, names with, with … in the name, contains, containing, starts with, starting with, begins with, is there … called, is there … named, is there a, is there an, any … called, any … named, does … exist, there is a, look … up, searching, query, got any, do you have, do u have, have you got, you got, find me, find … collection, find … project, find … contract, pull up, locate, where can i find, what's the collection, whats the collection, collection with, collections with, project with, projects with, collection … name, name of, " +
			"search, in the name, find, called, named, lookup, look up, search for, " +
			"collection called, collection named, project called, project named, exist, exists, " +
			"similar to, anything like, is there a collection, any collection, collections like, " +
			"collection like, with the name, have in the name, look for, searching for",
	),
};
