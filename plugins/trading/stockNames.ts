import type { Queryable } from "#core/db/Database.ts";
import type { KnownName, NameBook } from "#core/plugin/NameBook.ts";
import { assetRows } from "#plugins/trading/sql/assetRows.ts";

/**
 * Makes the book of tickers and companies' names: `tsla`, `tesla`, `tesla inc`. A text that is the
 * ticker of one token and the name of another is the ticker; a name of several tokens is none.
 */
export function stockNames(db: Queryable, chainId: number): NameBook {
	return {
		async find(groups) {
			const rows = await assetRows.named(db, chainId, groups);
			const asked = new Set(groups);
			const names = new Map<string, Set<string>>();
			for (const { symbol, name } of rows) {
				for (const text of companyNames(name)) {
					names.set(text, (names.get(text) ?? new Set()).add(symbol));
				}
			}
			const known = new Map<string, KnownName>();
			for (const [text, [symbol = "", ...others]] of names) {
				if (others.length === 0 && asked.has(text)) known.set(text, named(symbol));
			}
			for (const { symbol } of rows) {
				const text = symbol.toLowerCase();
				if (asked.has(text)) known.set(text, named(symbol));
			}
			return known;
		},
	};
}

function named(ticker: string): KnownName {
	return { kind: "asset", ticker };
}

/** Returns a name as it is, and without what nobody says: `apple inc. token`, `apple`. */
function companyNames(name: string): string[] {
	const whole = name.toLowerCase().replaceAll(",", "");
	const names = [whole, whole.replace(/\s+[•(|–—-].*$/, "")];
	for (let short = names[1] ?? ""; ENDING.test(short); names.push(short)) {
		short = short.replace(ENDING, "");
	}
	return names;
}

const ENDING =
	/\s+(?:inc|corp|corporation|company|co|ltd|plc|holdings|group|platforms|class [a-c]|common stock|stock|etf|token)\.?$/;
