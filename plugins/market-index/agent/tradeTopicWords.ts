// Lists the words by which a question is known to be about prices, sales or mints.

/** Words by which a question is known to be about prices, sales or mints, by topic. */
export const tradeTopicWords = {
	floor:
		"how low … going, how cheap … going, how high … going, how cheap, underwater, in profit, " +
		"in the green, in the red, break even, trade at, trades at, trading at, trade for, trades for, trading for, price wise, " +
		"pricewise, price-wise, price … doing, doing … price, how much do i need, " +
		"how much eth do i need, how much eth do you need, how much eth do i pay, " +
		"how much eth … need, how much do you need, how much do i pay, " +
		"how much do i have to pay, how much should i pay, how much would i pay, " +
		"how much i need, how much money … need, how far … fell, how far … drop, " +
		"how far … down, how much … fall, how much … drop, how much … dropped, " +
		"where's … trading, wheres … trading, where is … trading, where are … trading, " +
		"where … trading, where … sitting, where … at, least … pay, least … cost, least … get, " +
		"least … buy, how little, lowest … purchased, cheapest … purchased, lowest … bought, " +
		"cheapest … bought, can … be purchased, can … be bought, can … be had, could … be had, " +
		"how did … floor … do, how … floor … doing, hows … floor … doing, " +
		"how's … floor … doing, how … floor … looking, hows … floor … looking, " +
		"how's … floor … looking, how … floor … holding, hows … floor … holding, " +
		"how's … floor … holding, what did … floor … do, tank, tanks, floored, flooring, " +
		"bottoming, bottomed, bottom out, bottoming out, bottomed out, hovering, hover, " +
		"min price, minimum price, lowest one, cheapest one, lowest … listed, " +
		"lowest available, cheapest available, one … cost, get into, getting into, get in, " +
		"getting in, to own a, pricey, expensive, affordable, afford, going rate, " +
		"market value, fair value, fair price, dip, dips, dipped, dipping, bleed, bleeding, " +
		"bled, recover, recovered, recovering, recovery, rip, ripping, ripped, nuke, nukes, " +
		"crash, crashes, slipping, slipped, sliding, climbing, climbed, climb, rally, rallied, " +
		"rallying, bounce, bounced, bouncing, rebound, rebounded, price change, floor change, " +
		"gone up, went up, going up, go up, gone down, went down, going down, go down, sink, " +
		"sinking, sank, tumble, tumbled, tumbling, plunge, plunged, pump or dump, " +
		"trading around, going around, goes around, sits at, sit at, stand at, stands at, " +
		"standing at, hanging at, hanging around, holding at, at what, currently at, " +
		"asking for, asking, ppl … asking, cheapest … buy, cheapest … grab, cheapest … get, " +
		"entry point, entry cost, how much … for a, how much … for one, how much … for the, " +
		"floor rn, floor price rn, cheapest one listed, quote me, ticket, whats the damage, " +
		"what's the damage, floor, floors, run me, running me, set me back, price action, " +
		"listed at, listed for, pay for, minimum, fp, flr, floorprice, floor price, price, " +
		"prices, priced, pricing, cost, costs, cheapest, lowest, bottom, entry, worth, value, " +
		"valued, how low, how high, how cheap, how expensive, how much, going for, go for, " +
		"goes for, sitting at, ask, lowest ask, cheapest ask, lowest listing, " +
		"cheapest listing, cheapest listed, cheapest … listed, pumping, pumped, pump, dumping, " +
		"dumped, dump, tanking, tanked, mooning, mooned, nuking, nuked, rekt, crashing, " +
		"crashed, up, down, asking price, starting price, starts at, start at, entry price, " +
		"buy in, market price, spot price, valuation, price tag, rate, listed from, " +
		"from how much, floor hold, floor holding, floor … hold, floor … holding, " +
		"how much eth, cheapest way, cost … to get in, still cheap, so cheap, that cheap, " +
		"cheap or, trading above, trading below, trading under, trading over, min, " +
		"what would it run me, would … run me",
	volume:
		"done in eth, done in volume, trade in total, traded in total, flowing, flowed, how busy, busy, eth … flowing, eth … into, eth … in, how traded, " +
		"heavily traded, how heavy, eth … went through, eth … through, went through, " +
		"eth … flowed, eth … flow, eth … moved, eth … volume, eth … change hands, " +
		"eth … changed hands, money … moved, money … through, money … traded, " +
		"money … changed hands, money … change hands, total traded, traded total, " +
		"total … traded, total … trades value, notional, dollar volume, usd volume, eth worth, " +
		"worth … traded, worth … changed hands, worth … sold, trade volume, market volume, " +
		"how active, how much … volume … do, how much … trading, how much … changed hands, " +
		"how much … move, how much … moved, how much … been traded, eth … traded, " +
		"weth … traded, sum … sales, sum … traded, throughput, inflow, inflows, " +
		"trading amount, amount traded, amount … traded, eth amount, " +
		"how much … sold for in total, total sales value, value … sales, sales … in eth, " +
		"total eth, eth total, vol check, traded … eth, eth traded, eth spent, eth done, " +
		"volume, volumes, vol, vols, turnover, traded volume, trading volume, sales volume, " +
		"volume traded, how much eth … trade, how much eth … traded, how much eth … do, " +
		"how much eth … done, how much … traded, how much … trade, how much … volume, " +
		"how much … vol, eth volume, how many eth, how many eth … do, how many eth … done, " +
		"how many eth … trade, value traded, traded value, how much … do, how much … done, " +
		"eth flow, money flow, vol … doing, volume … doing, trading activity, eth … exchanged, " +
		"exchanged, eth … transacted, transacted",
	sales:
		"people buy, ppl buy, anyone buy, anybody buy, someone buy, somebody buy, they buy, did … just pay, just pay, just paid, anything sell, anything sold, anything … sell, anything … sold, anyone sell, " +
		"anyone sold, they pay, did they pay, they paid, previous sale, previous sales, " +
		"prior sale, traded hands, trade hands, change hands, changing hands, swapped hands, " +
		"they sell, people sell, ppl sell, did … sell, how many … sell, how much … sell, " +
		"sell … of, ever sell, tape, prints, print, printing, printed, fills, filled, " +
		"clearing, clearing at, cleared, cleared at, clear at, sold at, sold for, selling at, " +
		"selling for, sell for, sells for, last sell, last sells, few sells, last buy, " +
		"last buys, recent buy, recent buys, most recent buy, latest buy, latest buys, " +
		"sellers, seller, flippers, flipper, flipping, sale price, sale feed, trade feed, " +
		"trade log, sales log, sales tape, paid, paying, last paid, paid for, pay … last, " +
		"just sell, just sold, just bought, just … sell, just … sold, anyone … sell, " +
		"anyone … sold, people … pay, ppl … pay, market activity, buying activity, " +
		"selling activity, last transaction, latest transaction, last few sold, " +
		"last ones sold, latest sold, last one sold, last to sell, most recent, went for, " +
		"go for … last, cleared for, exec price, executed, sell recently, moved recently, " +
		"sale … price, price … sold, sold … price, how much … last … sell, " +
		"how much … last … go, last … fetch, fetched, fetching, offloading, offloaded, " +
		"unloading, unloaded, dumped on, taking profit, sale, trade prints, order flow, " +
		"action, moved, picking up, picked up, people paying, ppl paying, last … sell, " +
		"sell at, sales, sold, sell … for, sell anything, sells, selling, trades, trade, " +
		"traded, trading, buys, bought, buying, buyers, purchases, purchased, flips, flipped, " +
		"last … go for, last … went for, last … got, activity, transactions, txs, " +
		"average price, avg price, median price, changed hands, last sold, last bought, " +
		"who bought, recent buyers, txns, tx, trade history, sales history, sales feed, " +
		"sold recently, last purchase, purchase, acquired, scooped, sweeps, sweeping, swept, " +
		"buyer, most recent sale, sale prices, how many … went, how many … go, highest sale, " +
		"biggest sale, last price, last person to buy, last guy to buy, last one to buy, " +
		"last to buy, last buyer, did any … go, any … go, just aped, aped, just sniped, " +
		"somebody … aped, someone … aped, latest … go for, latest … went for, newest … go for, " +
		"newest … went for, recent … go for",
	mints:
		"supply minted, supply … minted, of supply minted, of the supply, velocity, " +
		"how quick … minting, how slow … minting, minting slow, charging to mint, " +
		"charge … mint, charging … mint, ppl … minting, people … minting, anyone … minting, " +
		"minting … stuck, how quick … going, how fast … going, how quickly … going, " +
		"how fast … minting, how quickly … minting, how quick … minting, rate … minting, rate … mint, wallets … minting, wallets minting, wallets … minted, " +
		"been minting, people minting, ppl minting, anyone minting, someone minting, " +
		"everyone minting, folks minting, who's minting, whos minting, mint moving, " +
		"mint going, mint going well, mint … going, mint … moving, mint … doing, " +
		"mint … looking, mint pricing, mint costs, mint for free, free to mint, per mint, " +
		"mint cap, unminted, not minted, left unminted, how much left, how much … left, " +
		"how many remain, remain, remains, how many … remain, number minted, amount minted, " +
		"minted number, minted amount, total minted, total mints, minted out of, mint demand, " +
		"mint stats, minting speed, minting rate, mints an hour, mints per hour, mints in, " +
		"minted in, how much … minted, how many people minted, how many wallets minted, " +
		"mint left, mint remaining, far along … mint, mint … far along, mint … along, " +
		"mint … costs, mint … cost, mint … price, price … mint, costs … mint, cost … mint, " +
		"whats left … mint, what's left … mint, left to be minted, available to mint, " +
		"mint … slow, minting … slow, minting quickly, mint … quickly, minted … so far, " +
		"how many … mint, how quickly … mint, how quick … mint, pace of mint, pace … mint, " +
		"percent through … mint, % minted, minted %, percent … mint, minted share, " +
		"mint going fast, mint count so far, mint, mints, minted, mint price, mint cost, " +
		"mint count, mint progress, mint supply, how many … minted, how much … mint, " +
		"how many … mints, minted so far, left to mint, minting … fast, minting out fast, " +
		"mint … fast, how fast … mint, how many … left, left of … mint, how far … mint, " +
		"percent minted, percent … minted, percentage … minted, % … minted, mint speed, " +
		"mint rate, free mint, minters, mint numbers, mint total, minted count, minted total, " +
		"remaining, how many … remaining, supply left, spots left, mints left, mint counter, " +
		"cost to mint, price to mint, minting cost, minting price, mint pace, mint fee, " +
		"pay to mint, how many … claimed, minting … price, minting at, mints at, minting for, " +
		"ppl still minting, people still minting, anyone still minting, still minting … fast, " +
		"mint … picking up speed, mint … picking up, mint … speeding up, mint … slowing down",
	lifecycle:
		"allowlist, whitelist, public or, or public, pre or post, pre/post, art drop, art dropped, art drop yet, art yet, has … art, " +
		"art still hidden, art hidden, art … hidden, minting concluded, mint concluded, " +
		"concluded, finished, mint wrapped, wrapped up, still … mint, out of supply yet, " +
		"is … out of supply, run out of supply, ran out of supply, presale, pre-sale, " +
		"allowlist phase, public phase, public sale, whitelist phase, wl phase, mint phase, " +
		"primary sale, primary sale … complete, primary … complete, primary mint, " +
		"sale … complete, sale complete, sale over, sale … over, open phase, pre reveal, " +
		"pre-reveal, prereveal, post reveal, post-reveal, postreveal, art out, art … out, " +
		"art … revealed, art … live, metadata … out, metadata … revealed, metadata out, " +
		"mint still going, still going, done minting, finished minting, mint finished, " +
		"started minting, mint started, minting over, minting done, finished mint, soldout, " +
		"sold-out, mint-out, mintout, minted-out, closed, mint wen, reveal wen, " +
		"when … minting, when … reveal, wen … reveal, when's … reveal, whens … reveal, " +
		"reveal time, reveal when, when's … mint, whens … mint, begin minting, begins, " +
		"mint begin, mint begins, mint starts, mint … start, mint … starts, starts minting, " +
		"start minting, start date, on secondary, gone secondary, sale open, still open, " +
		"open yet, live yet, gone live, go live, went live, is … live, still live, " +
		"already live, has … dropped, dropped yet, already out, mint up, sold out or, " +
		"minted out or, revealed or, reveal … happen, reveal happen, reveal happened, " +
		"reveal … happened, reveal … done, reveal … over, reveal … coming, reveal … soon, " +
		"reveal soon, placeholder, placeholders, hidden, unreveal, unrevealed still, " +
		"still unrevealed, still hidden, images … out, pics … out, what phase, which phase, " +
		"what stage, which stage, mint stage, how far … launch, mint finished or, out of mint, " +
		"completely minted, fully minted, minted fully, all minted, all … minted, mint ends, " +
		"mint end, mint … end, mint … ends, ends minting, lifecycle, status, phase, stage, " +
		"minting, minted out, mint out, mints out, sold out, sell out, sells out, sellout, " +
		"reveal, reveals, revealed, revealing, unrevealed, mint live, mint open, mint over, " +
		"mint done, mint closed, mint date, mint start, mint starting, mint ended, " +
		"too late to mint, out yet, when … mint, wen … mint, still mint, secondary, " +
		"mint status, launched, launch date, drop date, art reveal, metadata reveal, " +
		"revealed yet, minting yet, minting still, still minting, minting now, mint … over, " +
		"mint … live, mint … open, mint … ended, mint … done, mint … closed, has … launched, " +
		"when … launch, wen … launch, when … drop, wen … drop, drop yet, mint window, " +
		"sells … out, selling out, mintable, still mintable",
};
