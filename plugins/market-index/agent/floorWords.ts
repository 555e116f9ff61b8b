// Lists how a floor that moved, and one of a past time, are asked for.

/** How a floor that rose or fell is asked for: its answers say how it changed. */
export const MOVED = (
	"up or down, higher or lower, rising or falling, pumping or dumping, going up, going down, gone " +
	"up, gone down, went up, went down, moved up, moved down, up today, down today, pumping, dumping, " +
	"mooning, tanking, crashing, rising, falling, climbing, dropping, bleeding, nuking, nuked, dumped, " +
	"pumped, tanked, crashed, did … dump, did … pump, did … tank, did … crash, is … up, is … down, " +
	"are … up, are … down, has … moved, has … changed, floor moved, floor changed, trending up, " +
	"trending down, up or is … down, rise or fall, rising or not, up or not, down or not"
).split(", ");

/** How a floor of the past is asked for besides. */
export const WAS = (
	"was the floor, was the price, what was … floor, what was … price, was … floor, was … " +
	"trading at, was … worth, how much was, what did … cost, did … cost, floor chart, floor " +
	"history, floor series, floor … series, floor … chart, floor … history, price history, " +
	"price chart, floor trend, floor price history, floor price chart, has … floor, floor " +
	"been, has … floor been, floor … been, did … floor, more expensive than, less " +
	"expensive than, cheaper than, higher than, lower than, worth more than, worth less than"
).split(", ");
