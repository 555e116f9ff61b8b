/** How many intents a profile may ask for. All of them are kept for ever, so they are rationed. */
export type IntentQuota = {
	/** Saved up by who asks for nothing. */
	burst: number;
	perSecond: number;
	/** What a refused one costs on top: it cost its owner nothing, and is kept like the others. */
	refusedCost: number;
};
