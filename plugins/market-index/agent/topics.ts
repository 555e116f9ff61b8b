import type { Topic } from "#core/plugin/Command.ts";
import { topicWords } from "#plugins/market-index/agent/topicWords.ts";
import { tradeTopicWords } from "#plugins/market-index/agent/tradeTopicWords.ts";

const WORDS = { ...tradeTopicWords, sold: tradeTopicWords.sales, ...topicWords };

type Kind = Pick<Topic, "anyTime" | "takesPrice" | "ofName">;

/** Makes the topic of this name: its phrases, and the topics that it goes over. */
function topic(name: keyof typeof WORDS, over: string, kind: Kind = {}): Topic {
	const others = over === "" ? {} : { over: over.split(" ") };
	return { words: WORDS[name].split(", "), ...others, ...kind };
}

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
