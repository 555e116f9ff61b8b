/** What a ticker of the registry may look like: what the commands' grammar reads, in capitals. */
const TICKER = /^[A-Z][A-Z0-9.-]{0,15}$/;

/**
 * Rows of UTS 39's `confusables.txt` (17.0.0) whose source may stand in a ticker. All others have
 * sources that a ticker cannot hold: `isTicker` refuses them before anybody asks what they look
 * like.
 */
const CONFUSABLES: ReadonlyMap<string, string> = new Map([
	["0", "O"],
	["1", "l"],
	["I", "l"],
]);

/** Tickers of what is settled in. No stock may have one of these, or one that looks like it. */
export const SETTLEMENT_SYMBOLS = ["ETH", "WETH", "USDG"] as const;

/** True for a text that can be a ticker: Latin capitals, digits, dot and hyphen alone. */
export function isTicker(text: string): boolean {
	return TICKER.test(text);
}

/**
 * Returns the UTS 39 skeleton of a ticker: two with one skeleton look alike, such as COIN and C0IN.
 * Texts that are no tickers have none; ask `isTicker` first.
 */
export function skeletonOf(ticker: string): string {
	return Array.from(ticker, (letter) => CONFUSABLES.get(letter) ?? letter).join("");
}
