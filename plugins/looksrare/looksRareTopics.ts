import type { Hex } from "#core/chain/Hex.ts";

/** First topics of the two logs that sales are made of. Neither event has an indexed argument. */
export const looksRareTopics: { takerBid: Hex; takerAsk: Hex } = {
	/** TakerBid: a listing was bought. */
	takerBid: "0x3ee3de4684413690dee6fff1a0a4f92916a1b97d1c5a83cdf24671844306b2e3",
	/** TakerAsk: an offer was accepted. */
	takerAsk: "0x9aaa45d6db2ef74ead0751ea9113263d1dec1b50cea05f0ca2002cb8063564a4",
};
