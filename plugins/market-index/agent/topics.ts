// Lists the market's topics for the agent, with the words that mean them.

import type { Topic } from "#core/plugin/Tool.ts";
import { tradeTopicWords } from "#plugins/market-index/agent/tradeTopicWords.ts";

type Kind = Pick<Topic, "anyTime" | "takesPrice" | "ofName">;

/** Words by which other questions about the market are known, by topic. */
const topicWords = {
	order_book:
		"asks and bids, bids and asks, bid and ask, ask and bid, bid ask, bid/ask, buy side, " +
		"sell side, sell-side, buy-side, best ask, second cheapest, next cheapest, ask ladder, " +
		"ladder, undercut, undercuts, undercutting, just listed, newly listed, " +
		"newest listings, recent listings, recently listed, latest listed, last listed, " +
		"listed recently, get for, bidder, highest bidder, top bidder, open offers, " +
		"active offers, active bids, active listings, active orders, open orders, " +
		"current offers, current bids, current listings, standing offers, standing bids, " +
		"standing bid, wants to buy, want to buy, looking to buy, trying to buy, " +
		"trying to sell, weth offers, weth bids, orders, instant sell, sell into, dump into, " +
		"sell now, cash out, cash out price, exit price, sell price, who … bidding, " +
		"who's … bidding, whos … bidding, listed under, listed near, near floor listings, " +
		"listings near floor, floor listings, floor bids, bids near floor, bids at, offers at, " +
		"offers over, offers above, biggest bid, biggest bids, biggest offer, strongest bid, " +
		"lowball, lowballs, lowballing, listing feed, listings feed, who wants, orderbook, " +
		"orderbooks, ob, can i sell … for, sell … instantly, order book, book, bids, bid, " +
		"bidding, bidders, offer, offers, asks, listing, listings, listed, for sale, on sale, " +
		"up for sale, top bid, best bid, highest bid, top offer, best offer, highest offer, " +
		"wall … bid, bid side, ask side, spread, offer book, bid ladder, cheapest listings, " +
		"lowest listings, new listings, latest listings, will pay, someone will pay, " +
		"someone would pay, anyone will pay, willing to pay, buy orders, sell orders, " +
		"best price … sell, highest offers, top bids, top offers, best bids, cheapest asks, " +
		"lowest asks, collection offer, collection offers, collection bid, collection bids, " +
		"offering, who's offering, whos offering",
	depth:
		"bids … under, bids … below, asks … above, listings … above, support … below, " +
		"support … under, how much support, support … floor, liquidity … to sell, " +
		"bids … underneath, bids … beneath, asks … over, easy to sell, easy to exit, hard to sell, hard to exit, easy to dump, without nuking, without crushing, without tanking, " +
		"without moving, without crashing, without dumping, without killing, without slippage, " +
		"without wrecking, slip, walls, how stacked, stacked, wall of asks, wall of bids, " +
		"bid support, support below, support under, how many … to move, sell into floor, " +
		"book … stacked, book … thick, deep book, thin book, thick book, bids … thick, " +
		"bids … stacked, floor … stacked, floor … support, supported, asks … thin, " +
		"asks … thick, asks … stacked, offers … thin, offers … thick, offers … deep, " +
		"how deep … offers, how deep … bids, how deep … asks, how thick … bids, " +
		"how thick … asks, how thin … bids, how thin … asks, how thin … listings, " +
		"book … healthy, order book … thin, order book … deep, order book … thick, " +
		"orderbook … thin, orderbook … thick, orderbook … deep, ob … thin, ob … thick, " +
		"ob … deep, ob depth, absorb, absorbs, absorption, liquidity check, liquidity profile, " +
		"bid ask depth, market deep, market thin, market liquid, how much liquidity, " +
		"liquidity … floor, orders … deep, depth, liquidity, liquid, illiquid, thick, thin, " +
		"deep, wall, slippage, bid wall, buy wall, ask wall, sell wall, listing wall, " +
		"bid depth, ask depth, order book depth, orderbook depth, book depth, floor depth, " +
		"depth of … book, thinness, support, resistance, sell pressure, buy pressure, " +
		"bid side depth, ask side depth, book … thin, book … deep, bids … thin, bids … deep, " +
		"listings … thin, listings … thick, floor … thin, floor … thick, floor … deep, " +
		"how liquid, how illiquid, market depth",
	traits:
		"background, backgrounds, headwear, eyewear, one of ones, 1/1s, 1/1, scarce, scarcity, " +
		"cheapest per trait, attributes … premium, traits … premium, trait … premium, premium, " +
		"rare traits, trait rarity, trait values, trait value, traits value, best traits, " +
		"top traits, grail, grails, grail traits, grail trait, most valuable trait, " +
		"trait premium, trait premiums, premium traits, valuable traits, trait counts, " +
		"trait count, trait overview, trait stats, trait data, trait floors, floors by trait, " +
		"floor per trait, floor by trait, floor price by trait, floors per trait, " +
		"price by trait, prices by trait, prices per trait, price per trait, rarest attribute, " +
		"rarest attributes, rare attributes, attribute floors, attribute rarity, " +
		"rarest combos, rarities, rarity breakdown, rarity distribution, rarity chart, " +
		"rarity table, rarity list, rarest stuff, what … rarest, whats … rarest, " +
		"what's … rarest, scarcest, scarce traits, uncommon traits, most common trait, " +
		"most common traits, common traits, which traits, what traits, traits worth, " +
		"traits … most, trait … most, trait, traits, attribute, attributes, rarest, " +
		"hardest trait, trait … hardest, hardest to find, hardest to get, scarcest, rarest traits, trait floor, traits floor, properties, property, features, trait list, " +
		"attribute list, trait breakdown, trait prices, trait price, traits price, per trait, " +
		"by trait, trait distribution, most valuable traits, traits … worth, rarity, " +
		"by rarity, sorted by rarity",
	holders:
		"how many people have, how many ppl have, how many have, how many wallets have, biggest wallet, largest wallet, single wallet, top bag, that hold, which hold, " +
		"wallets that hold, people that hold, that own, wallets that own, people that own, " +
		"who own, majority, monopolized, most of, spread out, spread around, how spread, " +
		"well distributed, evenly distributed, one guy, one wallet, one whale, few wallets, " +
		"few whales, few people, handful of wallets, whale wallets, big wallets, " +
		"biggest wallets, largest wallets, biggest bag, biggest bags, fattest bag, " +
		"fattest bags, largest bag, largest holders, largest holder, biggest holders, " +
		"biggest holder, top owner, top owners, biggest owner, biggest owners, most bags, bag, " +
		"bagged, hodl, hodling, hodls, held, held by, held in, hold rate, unique hodlers, " +
		"wallet count, addresses, unique addresses, how many addresses, how many wallets, " +
		"number of wallets, wallets … in, members, community, how many people … in, " +
		"how many ppl … in, people … own, ppl … own, people … holding, ppl … holding, " +
		"controls, control, who controls, loaded up, loaded on, stacking, who's stacking, " +
		"whos stacking, who … stacking, who's … holding, whos … holding, who's … hoarding, " +
		"who … hoarding, who … most, whos … most, who's … most, who … owns, decentralized, " +
		"centralised, centralized, top heavy, holder split, holder spread, owner split, " +
		"supply held, supply … held, supply … spread, supply … distributed, distributed, " +
		"holder growth, holder stats, unique owner, unique owners, unique holder, " +
		"unique holders, distinct owners, distinct holders, individual holders, " +
		"actual holders, real holders, who … hold, people … hold, ppl … hold, holder, holders, " +
		"hodlers, hodler, owner, owners, owned, whale, whales, hold, holds, holding, own, " +
		"owns, owning, bagholders, bag holders, bags, wallets … hold, wallets, who has … most, " +
		"distribution, concentration, concentrated, ownership, whos got … most, " +
		"who got … most, who has got … most, hoarding, accumulating, accumulated, " +
		"diamond hands, community size, how many … hold, how many … own, collectors, " +
		"top wallets, top wallet, top holder, bagholder, holder base, holder list, owner list, " +
		"owner count, holder count, number of … holders, number of … owners, unique wallets, " +
		"whos holding, who is holding, who owns … most, who holds … most, holding … most, " +
		"ownership spread, ownership split, spread of holders",
	token:
		"no., rare or, whose, whose wallet, who's got, whos got, who … got, rarity score, " +
		"rarity rank, good rank, which rank, what rank, rank … at, ranked at, is … rare, " +
		"is it rare, how … rare, who … own, who … owns, who … has, who … hold, who … holds, " +
		"owned by, holder, holder of, belongs, belong to, belongs to, in … wallet, wallet, " +
		"pull up, look at, show, check, checking, look up, lookup, what's, whats, what is, " +
		"score, special, last price, last sold, stats, stat, traits on, any good, good one, " +
		"decent, attributes of, properties of, token, rank, ranks, ranked, ranking, rarity, " +
		"rare, rarer, how rare, owner, owns, owned, holds, holding, has, trait, traits, " +
		"attributes, price, worth, bought, last sale, about, details, info, tell me about, " +
		"properties, listed, sold",
	collection:
		"what kind of, what sort of, what type of, eli5, facts, owners vs supply, " +
		"holders vs supply, listed vs supply, supply vs listed, supply vs owners, " +
		"supply vs holders, listed vs owners, listed vs holders, owners vs listed, " +
		"holders vs listed, heard of, heard about, explain, the vibe, vibe on, vibe with, " +
		"vibes on, vibe check, all you know, what you know, everything you know, " +
		"what do you know, dead or, alive, still alive, up w, up with, good with, the deal, " +
		"doing ok, doing okay, doing well, doing alright, informations, general picture, the picture, picture of, what's good with, whats good with, how … doing, how's … going, hows … going, " +
		"how … going, how's … holding, hows … holding, how … holding up, how … looking, " +
		"hows … looking, how's … looking, how's … been doing, how … performing, catch me up, " +
		"brief me, brief on, break down, breakdown of, up to speed, sitrep, health, " +
		"health check, vitals, full picture, big picture, the skinny, quick rundown, " +
		"the works, everything, cliff notes, cliffnotes, crash course, briefing, dossier, " +
		"card, fact sheet, key numbers, key stats, main stats, main numbers, all numbers, " +
		"full stats, quick stats, basic stats, basic info, general info, " +
		"how many … in circulation, in circulation, circulation, circulating, " +
		"circulating supply, max supply, supply size, collection size, size of collection, " +
		"how large, how many … total, how many … in total, how many … there, how many nfts, " +
		"how many pieces, how many items, how many tokens, how many … out there, " +
		"how many … listed … now, listed … how many, listed percentage, listed percent, " +
		"listed share, share … listed, share listed, number listed, amount listed, " +
		"total listed, total listings, listings count, listed ratio, listing ratio, " +
		"listing rate, how much … listed, how much … supply … listed, supply … listed, " +
		"supply listed, what share, what fraction, whats … about, what's … about, " +
		"what is … about, what are … about, who are, tell me … about, tell me more, " +
		"give me … on, gimme … on, anything on, any info, any news, news, word on, info about, " +
		"infos on, intel on, read on, what happened to, what happened with, happened to, " +
		"happened with, what … up to, state of, whats new, what's new, how has … been, " +
		"how have … been, been doing, hows it going, % … listed, sum up, fill me in, " +
		"fill … in on, wtf is, who is, alpha, numbers, figures, stats, stat, statistics, info, " +
		"infos, overview, summary, summarize, rundown, details, data, tldr, breakdown, " +
		"metrics, snapshot, recap, lowdown, scoop, intel, analysis, report, deal with, " +
		"tell me about, know about, going on with, happening with, new with, how is … doing, " +
		"hows … doing, how's … doing, how are … doing, how is … holding up, hows … holding up, " +
		"supply, total supply, how many … listed, how many … for sale, how many … on sale, " +
		"how many … exist, how many … are there, percent … listed, percentage … listed, " +
		"listed count, listed supply, listing count, number of … listings, number of … listed, " +
		"how many … listings, story, glance, how big, size of, size, background, basics, " +
		"fundamentals, profile, performing, performance, quick look, latest on, news on, " +
		"scoop on, learn about, more about, info on, everything about, everything on, " +
		"on sale … how many, whats up with, holding up, looking overall, deal, nutshell, " +
		"in a nutshell",
	upcoming:
		"next … mint, next … drop, next … launch, what drops, upcoming stuff, " +
		"upcoming launches, any drops, any launches, next up, drops soon, drop soon, " +
		"drops coming, drops … soon, launching soon, launching … soon, launch soon, " +
		"launches soon, minting … soon, mints … soon, mints … tomorrow, mints … next, " +
		"drops … next, drops … tomorrow, drops … week, mints … week, drop schedule, " +
		"drops schedule, mint schedule, launch schedule, launch calendar, drop calendar, " +
		"schedule, on deck, lined up, in the pipeline, about to drop, about to mint, " +
		"about to launch, about to go live, future mints, later today, tonight, this weekend, " +
		"next few days, coming days, new releases, announced, countdown, premint, not out yet, " +
		"yet to mint, yet to drop, upcoming, weekend, dropping, drops, drop, coming up, " +
		"coming soon, next drop, next mint, next mints, soon, launching, launches, launch, " +
		"new drops, mints tomorrow, minting tomorrow, minting soon, minting next, mint next, " +
		"mint soon, upcoming mints, upcoming mint, upcoming drops, upcoming drop, tomorrow, " +
		"tmrw, calendar, mint calendar, scheduled, releasing, drops … today, future drops, " +
		"next week, going live, goes live, pipeline, planned, opening soon, drop next, " +
		"drops next, mints … coming, drops … coming, drops … weekend, mints … weekend, " +
		"coming out, release, releases, dropping next, launching next, next launch, " +
		"when … next mint, when … next drop",
	trending:
		"top … nfts, top … collections, top … projects, top … mints, top collection, " +
		"most … volume, most … traded, most … sales, most … active, most … bought, " +
		"most … hyped, biggest … volume, biggest … movers, biggest … gainers, biggest winners, " +
		"biggest winner, top … movers, top … gainers, top mover, top gainer, top ten, top 10, " +
		"top 5, top 20, top list, ranking, rankings, ranked by volume, by volume, by sales, " +
		"sorted by volume, everyone … buying, everyone … trading, everyone … aping, " +
		"everyone … on, everybody … buying, everybody … trading, everybody … aping, people … in, people … into, ppl … into, degens … aping, " +
		"degens … buying, degens … into, what's … sending, whats … sending, sends, ripper, " +
		"rippers, runners, runner, pumpers, most pumped, pumped the most, up big, " +
		"biggest pump, biggest pumps, up today, action … today, where … action, " +
		"where's the action, wheres the action, action … at, where … volume, where … money, " +
		"money … going, where … eth … going, rotation, flavor, flavour, talk of the town, " +
		"buzz, buzzing, heat, heating, hottest … now, all the rage, popping … off, taking off, " +
		"took off, blowing up, blew up, trending … now, whats … hot, what's … hot, going off, " +
		"on the move, movin, big volume, high volume, most liquid, best performers, " +
		"best performing, performing best, worst performing, worst performers, fastest, " +
		"selling … most, sold … most, sold the most, traded the most, volume … today, " +
		"trending, top sellers, trend, hot, hottest, heating up, popping, popping off, " +
		"pumping, pumps, mooning, mooners, ripping, running, cooking, sending, flying, moving, " +
		"movers, gainers, winners, losers, aping, aping into, buying, trading, most traded, " +
		"most bought, most sales, most volume, top volume, highest volume, biggest volume, " +
		"volume leaders, top … by volume, top collections, top nfts, top projects, " +
		"best selling, leaderboard, popular, hype, hyped, hyping, selling, volume, volumes, " +
		"everyone … into, most active, active, big movers, outperforming, leading, leaders, " +
		"top gainers, top losers, biggest losers, on fire, exploding, going crazy, degens, " +
		"meta, most hyped, rotating, rotating into, top performing, top performers, " +
		"people … buying, ppl … buying, people … trading, ppl … trading, people … aping, " +
		"most popular, biggest movers, biggest gainers, lots of volume, doing numbers, " +
		"selling fast, up the most, up most, down the most, gained the most",
	discover:
		"drops … minting, drops live, drops … live, live drops, live to mint, live … mint, open to mint, left to mint, nft land, nftland, nft world, " +
		"nft twitter, the nft game, nft markets, market wide, market-wide, marketwide, " +
		"across the market, across … market, whole market, nft space, nft scene, the space, " +
		"the scene, how … market, hows … market, how's … market, market vibe, market vibes, " +
		"market mood, market pulse, market snapshot, market check, market stats, " +
		"market … like, market … alive, market … dead, anything … moving, anything moving, " +
		"anything … happening, anything happening, what's happening, whats happening, " +
		"mints … now, mints … rn, mint … now, mint … rn, mint today, mints today, " +
		"mints … today, mintable, mintable now, what … minting, whats … minting, " +
		"what's … minting, which … minting, anything … mint, something … mint, stuff … mint, " +
		"live mint, mint live, live … mints, open … mints, mints … open, free mint, " +
		"free … mints, hot … mints, new … mints, good … mints, cool mints, cool … mints, " +
		"ongoing mints, active mints, mints active, mints ongoing, currently minting, " +
		"minting at the moment, minting this second, minting as we speak, in mint, gm whats, " +
		"anything new, anything fresh, anything good, anything hot, whats good, what's good, " +
		"whats poppin, explore, browse, surprise me, discover, good to mint, worth minting, " +
		"minting, mints, new, fresh, can … mint, should … mint, what to mint, market, " +
		"market overview, nft market, the market, hot mints, new mints, new collections, " +
		"new projects, new nfts, alpha, live mints, mints live, mints right now, " +
		"mint right now, free mints, good mints, open mints, current mints, mints … live, " +
		"minting now, minting rn, minting today, minting right now, how is the market, " +
		"hows the market, people minting, ppl minting, everyone minting, market today, " +
		"market … looking, market … doing, state of the market, state of the nft market, " +
		"market update, market summary, market recap, what moves … market, moves … market",
	ended:
		"mints … closed, mints closed, mints … ended, mints ended, mints are over, " +
		"mints already over, mints … finished, mints … done, drops … closed, drops … ended, " +
		"drops ended, drops are over, drops already over, drops … finished, drops … done, " +
		"closed mints, ended mints, ended drops, finished mints, finished drops, past mints, " +
		"past drops, old mints, old drops, previous mints, previous drops, last mints, " +
		"recent mints, recently minted, missed mints, mints … missed, drops … missed, " +
		"mints … minted out, mints … sold out, drops … sold out, mints that ended, " +
		"what … minted out, which … minted out, what … sold out, which … sold out, " +
		"mints … past, just minted out, just sold out, recently sold out, completed mints, " +
		"completed drops, mints … completed",
	search:
		"contract, has word, the word, keyword, with word, with the word, has the word, " +
		"everything with, contains the word, the words, words, matching, matches, word, anything with, anything … named, anything … called, " +
		"something called, something named, something like, named something, called something, " +
		"named like, called like, sounds like, similar, similar name, name like, " +
		"name contains, names with, with … in the name, contains, containing, starts with, " +
		"starting with, begins with, is there … called, is there … named, is there a, " +
		"is there an, any … called, any … named, does … exist, there is a, look … up, " +
		"searching, query, got any, do you have, do u have, have you got, you got, find me, " +
		"find … collection, find … project, find … contract, pull up, locate, " +
		"where can i find, what's the collection, whats the collection, collection with, " +
		"collections with, project with, projects with, collection … name, name of, search, " +
		"in the name, find, called, named, lookup, look up, search for, collection called, " +
		"collection named, project called, project named, exist, exists, similar to, " +
		"anything like, is there a collection, any collection, collections like, " +
		"collection like, with the name, have in the name, look for, searching for",
};

const WORDS = { ...tradeTopicWords, sold: tradeTopicWords.sales, ...topicWords };

/** The answer is of now: a length of time in the question is left out. */
const NOW: Kind = { anyTime: true };

/**
 * Which words show that a question is about which part of the market, for texts that no form reads.
 * If a text has words of two topics, the one that names the other in its `over` wins.
 */
export const topics = {
	floor: topic("floor", "search", { ...NOW, takesPrice: true }),
	volume: topic("volume", "floor sales sold collection search"),
	sales: topic("sales", "floor collection search"),
	sold: topic("sold", "floor sales collection search"),
	mints: topic("mints", "floor sales sold volume collection search", NOW),
	lifecycle: topic("lifecycle", "floor sales sold volume mints collection order_book search", NOW),
	order_book: topic("order_book", "floor sales sold collection search"),
	depth: topic("depth", "floor sales sold collection order_book search"),
	traits: topic("traits", "floor sales sold collection holders search"),
	holders: topic("holders", "floor collection search"),
	token: topic("token", "floor traits holders sales collection search"),
	collection: topic("collection", "floor order_book search", { ...NOW, ofName: true }),
	upcoming: topic("upcoming", "discover", NOW),
	trending: topic("trending", ""),
	discover: topic("discover", "trending", NOW),
	ended: topic("ended", "upcoming discover trending", NOW),
	search: topic("search", ""),
};

/** Makes the topic of this name: its phrases, and the topics that it goes over. */
function topic(name: keyof typeof WORDS, over: string, kind: Kind = {}): Topic {
	const others = over === "" ? {} : { over: over.split(" ") };
	return { words: WORDS[name].split(", "), ...others, ...kind };
}
