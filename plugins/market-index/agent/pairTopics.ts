// Lists the topics of questions that compare two collections, with the words that mean them.

import type { Topic } from "#core/plugin/Tool.ts";
import type { COMPARED } from "#plugins/market-index/agent/compareTools.ts";

/**
 * Lists what asks for a figure of both. Words that only compare (`or`, `than`, `which one`,
 * `higher`) are known to the reader of questions: an answer with both figures says which is more.
 */
const WORDS: Record<(typeof COMPARED)[number], string> = {
	floor:
		"floor, floors, fp, floor price, floor prices, price, prices, cost, costs, cheapest, cheaper, " +
		"pricier, expensive, more expensive, less expensive, lowest ask, entry, worth more",
	floor_change:
		"floor change, change of floor, change in floor, floor changes, floor performance, moved more, " +
		"up more, down more, gained more, gained most, lost more, dropped more, fell more, rose more, " +
		"did better, doing better, done better, performed better, performing better, doing worse, " +
		"did worse, pumped more, dumped more, pumping harder, outperforming",
	volume:
		"volume, volumes, vol, trading volume, traded more, trades more, trading more, who traded more, " +
		"which traded more, traded volume, turnover, more volume, who has more volume",
	sales:
		"sales, more sales, sell more, sells more, sold more, selling more, who sold more, sale count, " +
		"number of sales, how many sales, trades, more trades, traded more often, sell better, " +
		"sells better, selling better, sold better, sell faster, selling faster",
	holders:
		"holders, owners, holder count, owner count, number of holders, number of owners, who has more " +
		"holders, who has more owners, unique holders, unique owners, how many holders, how many owners",
	listed:
		"listed, listings, for sale, number of listings, listed count, how many listings, how many … " +
		"listed, how many … for sale",
	supply: "supply, supplies, total supply, size, how many exist, how many … exist, how big",
};

const BESIDE =
	"current, right now, total, number, figure, both, of both, of these two, of the two, for both, " +
	"side by side, respectively, each, in eth, eth, higher, lower, trading, unique, count, most, " +
	"has the, have the, highest, lowest, biggest, larger, fewer, better, worse";

/** The topics of questions that compare two collections, by the figure. */
export const pairTopics = Object.fromEntries(
	Object.entries(WORDS).map(([by, words]): [string, Topic] => [
		by,
		{
			words: words.split(", "),
			beside: BESIDE.split(", "),
			...(by === "floor_change" ? { over: ["compare_floor"] } : {}),
		},
	]),
) as Record<keyof typeof WORDS, Topic>;
