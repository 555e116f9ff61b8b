// Lists texts that look like questions or orders of ours, and mean something else.

/** Questions that no figure of ours answers as they stand; known: kiln folk, night ferry. */
export const trickyQuestions: readonly string[] = (
	"who sold the most kiln folk|kiln folk holders who joined this week|" +
	"how many kiln folk holders own more than one|top 50 kiln folk holders|" +
	"kiln folk largest holder excluding the team|which kiln folk trait sells most|" +
	"how many kiln folk with gold frame sold today|sales of kiln folk with gold frame|" +
	"kiln folk gold frame last sale|what did the last gold kiln folk sell for|" +
	"offers for kiln folk with gold frame|kiln folk volume on opensea|" +
	"kiln folk volume up or down|kiln folk sales up since yesterday|" +
	"holders of kiln folk since yesterday|is kiln folk volume higher than yesterday|" +
	"kiln folk floor at close yesterday|kiln folk floor low of the day|" +
	"kiln folk highest listing|most expensive kiln folk for sale|kiln folk second cheapest|" +
	"five cheapest kiln folk|how much for 5 kiln folk|how much for two kiln folk|" +
	"cost of 10 kiln folk|cheapest kiln folk that was never sold|" +
	"cheapest kiln folk from a whale|kiln folk floor 2|kiln folk floor 2 days before reveal|" +
	"first 5 sales of kiln folk|first sale of kiln folk|kiln folk last sale above floor|" +
	"when was the last kiln folk sale|who bought the last kiln folk|" +
	"how many kiln folk do i owe|how many nfts does 0xab own|which nfts does my wife own|my nft portfolio|" +
	"my kiln folk floor cost|what did my kiln folk cost|is my kiln folk listed|" +
	"my kiln folk offers|offers on my kiln folk|my kiln folk bids|" +
	"my listing price for kiln folk|how much did i spend on kiln folk|" +
	"how much did i spend on nfts|how much did i spend on gas this week|" +
	"my spending on tesla this week|my tesla orders|my trades in tesla|my biggest trade|" +
	"how much tesla did i buy|tesla shares outstanding|tesla market cap|tesla price at yesterday's close|" +
	"tesla price in euros|tesla up or down tomorrow|is tesla higher than yesterday|tesla or amd|" +
	"how many tesla holders|tesla volume|price of tesla on nasdaq|gainers without meme coins|" +
	"top gainers by percent above 50|biggest loser ever|losers this year|stocks up today|" +
	"which stocks are up most|top gaining stocks|stocks gainers|top stocks|cheapest stock|" +
	"which collections gained holders|trending traits|trending on blur|whats pumping on solana|" +
	"mints under 0.05|free mints today|minting tomorrow|upcoming reveals tomorrow|" +
	"is kiln folk floor above 2|kiln folk above 2 eth?|kiln folk floor hit 2 yet|" +
	"has kiln folk doubled|kiln folk floor changed by how much since reveal|" +
	"how many kiln folk were listed today|new kiln folk listings|kiln folk delisted today|" +
	"how many listings under 1 eth|kiln folk listed percent last week|kiln folk supply burned|" +
	"rarest kiln folk|rarest kiln folk listed|which kiln folk are rarest|" +
	"rarest trait listed in kiln folk|cheapest rare trait kiln folk|" +
	"kiln folk traits under 1 eth|how many traits does kiln folk have|" +
	"how many kiln folk have 5 traits|how many kiln folk have been sold|" +
	"how many kiln folk have listings|how many kiln folk have rank under 100|" +
	"kiln folk #5 floor|kiln folk #5 volume|how much was kiln folk #5 minted for|" +
	"who minted kiln folk #5|previous owner of kiln folk #5|owners of kiln folk #5 and #6|" +
	"kiln folk 5 and 6 rank|kiln folk #5 worth in 2027|is kiln folk #5 rarer than #6|" +
	"kiln folk #5 best offer|offer on kiln folk #5|kiln folk vs night ferry vs azuki floor|" +
	"night ferry and kiln folk|volume kiln folk since the merge|kiln folk volume since launch|" +
	"kiln folk average floor this week|kiln folk median sale|kiln folk highest floor this week|" +
	"max kiln folk floor 30d|kiln folk buyers|kiln folk sellers today|unique buyers kiln folk|" +
	"how many people bought kiln folk|how many people sold kiln folk today|" +
	"number of people minting kiln folk|kiln folk holder with the most|" +
	"does vitalik own kiln folk|does 0x1 hold kiln folk|" +
	"what percent do the top 10 holders of kiln folk lend|kiln folk top holders percentage change|" +
	"kiln folk bid for gold frame|best bid with expiry kiln folk|kiln folk offers expiring|" +
	"kiln folk bids in weth under 1|spread in percent kiln folk|kiln folk fees|" +
	"kiln folk creator|kiln folk contract|kiln folk contract address|kiln folk twitter|" +
	"kiln folk on base or ethereum|kiln folk price prediction|" +
	"kiln folk floor price now or never|the floor of kiln folk minus fees|" +
	"kiln folk floor total|kiln folk volume count|list kiln folk at floor|list my kiln folk|" +
	"list the kiln folk for 2 eth|i want to list kiln folk, whats the floor|" +
	"can you grab one kiln folk at floor|cheapest kiln folk i can grab, grab it|" +
	"get me into kiln folk at floor|kiln folk floor. sweep it|kiln folk would pay 2 eth|" +
	"i'd pay the floor for kiln folk|would pay floor for kiln folk|" +
	"have to pay my friend, kiln folk floor|i can pay 2 eth for kiln folk|" +
	"i need to pay with kiln folk|what is my biggest holding|which of my stocks lost most|" +
	"my stocks today|my portfolio yesterday|my portfolio change|how much did my portfolio make|" +
	"my holdings on base|my portfolio without tesla|my portfolio in euros|" +
	"my shares of tesla in percent|how many tesla shares can i buy|how much tesla can i buy|" +
	"how much can i spend on tesla|how much of my limit is tesla|my weekly limit|" +
	"my limit tomorrow|raise my daily limit|change my daily limit to 500|" +
	"set my spending limit to 100|lower my spending cap|what is the daily limit on base|" +
	"what's the limit per wallet|is there a limit on bridges|spending limit of kiln folk|" +
	"my spending limit last week|how much did i spend yesterday on fees|total fees i spent|" +
	"my spending without fees|how much did i spend vs last week|average i spend per day|" +
	"my spending by day|my spending in eth|how much eth did i spend today|my orders on tesla|" +
	"my failed orders|my filled orders today|orders i cancelled|my oldest order|" +
	"all my orders ever|my open orders on base|my open orders for kiln folk|" +
	"my trades above 100|my losing trades|my nft trades|my trades with amd|profit of my trades|" +
	"trades of tesla|what did you trade today|what did kiln folk trade|" +
	"which stocks did i trade|which stocks trade most|which stocks are open now|stocks in tech|" +
	"tokenised stocks on base|tokenised stocks under 100 dollars|all stocks with price|" +
	"all stocks and their prices|list stocks and etfs|do you have amazon stock|" +
	"do you have hermes|do you offer nfts|do you support solana|tesla stock and amd stock|" +
	"tesla price and amd price|how many shares is one tesla token|tesla token premium|" +
	"tesla price on opensea|tesla price at close|tesla last price yesterday|" +
	"tesla price now vs yesterday|tesla price change after earnings|tesla current market cap|" +
	"tesla company|tesla company news|tesla dollars volume|" +
	"my friend owns kiln folk, how many holders|" +
	"my friend sold kiln folk #5, what was the last sale|" +
	"i bought kiln folk with gold frame, what is the floor|" +
	"i want the gold one. kiln folk floor?|i only care about gold ones. kiln folk floor?|" +
	"i like gold. what is kiln folk floor|" +
	"my brother has the gold frame kiln folk, what's the floor|" +
	"we are looking at gold frames. kiln folk floor|i've been watching blur. kiln folk volume?|" +
	"i mean on blur, kiln folk volume|i trade on blur, what is kiln folk volume|" +
	"somebody told me october was good. kiln folk volume|" +
	"i was away last week. kiln folk volume?|i have 2. kiln folk floor?|" +
	"i hold 2 eth. kiln folk floor?|i use base and i want kiln folk floor|" +
	"i hate night ferry. kiln folk floor|" +
	"my friend has night ferry and i have kiln folk, floor?|" +
	"they said the floor is 2, kiln folk volume|he sold below floor. kiln folk floor|" +
	"people say rank matters. kiln folk #5|i don't want gold, kiln folk floor|" +
	"i need the median, kiln folk sales|i asked about yesterday. kiln folk floor|" +
	"my question is about rare ones. kiln folk floor|i want the second one. kiln folk floor|" +
	"a gold one. kiln folk floor|a friend told me about kiln folk, whats the floor|" +
	"his wallet is a whale. kiln folk holders|our team minted kiln folk, how many holders|" +
	"my wife loves kiln folk and i want to know the floor|" +
	"so i sold my kiln folk yesterday and now what is the floor|" +
	"i bought at the top, is kiln folk pumping|i'd buy if cheap. kiln folk floor|" +
	"i will sell if the floor is above 2, kiln folk floor|" +
	"i was told to sell kiln folk, whats the floor|how much is a red kiln folk|" +
	"how much for the gold kiln folk|kiln folk number of asks|kiln folk value locked|" +
	"kiln folk single trait floor|kiln folk item price for #5|" +
	"piece of kiln folk fractional price|kiln folk floor since yesterday on blur|" +
	"kiln folk up since yesterday|kiln folk down since monday|" +
	"is kiln folk up more than eth|kiln folk pumping since when|" +
	"why is kiln folk pumping|will kiln folk keep pumping|kiln folk dumping volume|" +
	"who is dumping kiln folk|are whales dumping kiln folk|kiln folk holders up or down|" +
	"kiln folk listings up or down|kiln folk offers going up|are kiln folk holders rising|" +
	"is kiln folk mint rising|kiln folk rarest token|kiln folk rare ones|" +
	"rarest kiln folk trait with count under 5|is kiln folk gold frame rare|" +
	"how rare is gold frame in kiln folk|trait count of gold kiln folk|" +
	"how many traits are rare in kiln folk|kiln folk traits with rank|kiln folk all sales|" +
	"kiln folk all time buyers|all the kiln folk listings under 1|kiln folk highest bid ever|" +
	"kiln folk best bid yesterday|kiln folk floor and bids from yesterday|" +
	"kiln folk floor and volume 7d|kiln folk floor and volume yesterday|" +
	"kiln folk floor and night ferry volume|kiln folk volume and holders of night ferry|" +
	"kiln folk supply and burned|kiln folk sales with images|recent kiln folk buyers|" +
	"kiln folk recently listed|kiln folk sales lately on blur|kiln folk selling pressure|" +
	"who is selling kiln folk|anyone selling kiln folk under 1|anyone buying kiln folk gold|" +
	"someone paid 5 eth for kiln folk|2 of kiln folk for sale|how much for 3 of kiln folk|12 from kiln folk listed|trending, but i need art only|" +
	"gainers, my friend wants base|my trades, just tesla|my portfolio, just tesla|kiln folk floor or volume|" +
	"just gold ones. kiln folk floor|808 in kiln folk and 900 in kiln folk"
).split("|");

/** Texts that nobody would read as the order that stands in them. */
export const notOrders: readonly string[] = (
	"please buy 2 tsla tomorrow|please buy 2 tsla each|please buy 2 tsla each day|" +
	"buy 2 tsla for my mom|buy me some of the 2 tsla|please buy 2 tsla over 300|" +
	"buy 2 tsla over the weekend|would you buy 2 tsla?|will you buy 2 tsla|" +
	"will you buy 2 tsla stock?|would you sell 2 tsla at this price|let's buy 2 tsla someday|" +
	"let's not buy 2 tsla|lets buy 2 tsla if it dips|go ahead and buy 2 tsla not amd|" +
	"i want to buy 2 tsla but cheaper|i wanna sell 2 tsla lol|" +
	"i would like to buy 2 tsla, thoughts|i would like to buy 2 tsla soon|hold on tsla|" +
	"please hold on, tsla|please buy 2 tsla #12|buy 2 tsla 3|buy 2 tsla and 3 amd|" +
	"buy 2 tsla, 3 amd|buy 2 tsla. sell 3 amd|" +
	"please send 0.5 eth to 0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 and 0.2 to 0xb1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1|" +
	"send my 0.5 eth to 0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 over base|" +
	"sell 50% of my tsla 50%|please buy 50 of tsla|please buy tsla with all usdg|" +
	"don't cancel 0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69|" +
	"buy cheapest kiln-folk for at most 0.5 eth each|" +
	"buy me a kiln-folk #12 for at most 0.5 eth or less|unload 2 tsla on my friend|" +
	"buy 2 tsla 😂|buy 2 tsla 👎|buy 2 tsla… kidding|buy 2 tsla…|buy 2 tsla!?|please buy 2 tsla?|" +
	"sell 2 tsla? no|buy 2 tsla he said|my boss told me to buy 2 tsla|please do not buy 2 tsla|" +
	"never sell 2 tsla|i bought 2 tsla|please buy 2 tsla when it dips|should i buy 2 tsla|" +
	"what if i buy 2 tsla|imagine you buy 2 tsla|the command is buy 2 tsla|" +
	"please type buy 2 tsla|cancel buy 2 tsla|undo: buy 2 tsla|buy 2 tsla or 3 amd|" +
	"please buy 2-3 tsla|please buy about 2 tsla|please buy at least 2 tsla|please buy 2k tsla|" +
	"please buy 2 tsla with amd"
).split("|");
