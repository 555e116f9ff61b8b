/** The form of a ticker in the registry: what the commands' grammar reads, in capitals. */
const TICKER = /^[A-Z][A-Z0-9.-]{0,15}$/;

/**
 * Rows of UTS 39's `confusables.txt` (17.0.0) whose source may stand in a ticker. Sources of all
 * other rows cannot: `isTicker` refuses them first.
 */
const CONFUSABLES: ReadonlyMap<string, string> = new Map([
	["0", "O"],
	["1", "l"],
	["I", "l"],
]);

/** Tickers of settlement currencies. No stock may have one of these, or a lookalike. */
export const SETTLEMENT_SYMBOLS = ["ETH", "WETH", "USDG"] as const;

/** Returns true for a text that can be a ticker: only Latin capitals, digits, dot and hyphen. */
export function isTicker(text: string): boolean {
	return TICKER.test(text);
}

/**
 * Returns the UTS 39 skeleton of a ticker: two with one skeleton look alike, such as COIN and C0IN.
 * Only valid for tickers; check `isTicker` first.
 */
export function skeletonOf(ticker: string): string {
	return Array.from(ticker, (letter) => CONFUSABLES.get(letter) ?? letter).join("");
}
