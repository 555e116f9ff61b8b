import { type Check, differences, type Expected } from "#test/e2e/oracle/differences.ts";
import { asksOf, newestOf, type ToldOrder, unitOf } from "#test/e2e/oracle/expected/bookOf.ts";
import { stripped } from "#test/e2e/oracle/expected/ranksOf.ts";
import { ether } from "#test/e2e/oracle/expected/worthOf.ts";
import type { View } from "#test/e2e/oracle/Known.ts";

/** A trait's value, and the tokens with it; null if only their number was told. */
type Counted = { type: string; value: string; count: number; ids: Set<string> | null };

/**
 * Checks the collection's traits value by value; null if no source told any. Floors follow a book
 * half a minute later: until then they are all the provider's.
 */
export function traitsOf(view: View): Check {
	return (actual) => {
		const wrong = [true, false].map((isByBook) =>
			differences(actual, traitsBy(view, { isByBook })),
		);
		const [least = []] = wrong.sort((a, b) => a.length - b.length);
		return least.length === 0 ? undefined : least.join("; ");
	};
}

function traitsBy(view: View, { isByBook }: { isByBook: boolean }): Expected[] | null {
	const counted = countedOf(view);
	if (!counted) return null;
	// Without read listings a book has no floor.
	const asks = isByBook && view.told.allListings.length > 0 ? asksOf(view) : null;
	return counted
		.sort((a, b) => order(a.type, b.type) || order(a.value, b.value))
		.map(({ type, value, count, ids }) => {
			const floorNative = asks && ids ? bestOf(asks, ids) : toldFloorOf(view, type, value);
			return { type, value, count, floorNative };
		});
}

/** Counts traits by the tokens' own words, else takes the provider's counts. */
function countedOf({ told, address }: View): Counted[] | null {
	const tokens = [...told.tokens.values()].filter(({ contract }) => contract === address);
	const counted = new Map<string, Counted>();
	for (const { identifier, traits } of tokens) {
		for (const { trait_type, value: text } of traits) {
			const [type, value] = [stripped(trait_type), stripped(String(text))];
			const key = JSON.stringify([type, value]);
			const own = counted.get(key) ?? { type, value, count: 0, ids: new Set() };
			own.count++;
			own.ids?.add(identifier);
			counted.set(key, own);
		}
	}
	if (counted.size > 0) return [...counted.values()];
	const counts = newestOf(told.traits)?.answer.counts;
	if (!counts) return null;
	return Object.entries<Record<string, number>>(counts).flatMap(([type, values]) =>
		Object.entries(values).map(([value, count]) => ({ type, value, count, ids: null })),
	);
}

/** Returns the cheapest of the tokens with the value, among prices known in ether. */
function bestOf(asks: readonly ToldOrder[], ids: Set<string>): number | null {
	const units = asks.flatMap((ask) => (ids.has(ask.tokenId ?? "") ? (unitOf(ask) ?? []) : []));
	const [best] = units.sort((a, b) => (a < b ? -1 : 1));
	return best === undefined ? null : ether(best);
}

function toldFloorOf({ told, rates }: View, type: string, value: string): number | null {
	const { answer, atMs } = newestOf(told.traitFloors) ?? { answer: { floors: [] }, atMs: 0 };
	const rows: any[] = answer.floors;
	const prices = rows.flatMap(({ trait_type, value: of, floor_price, payment_token_symbol }) => {
		const isIt = trait_type === type && of === value;
		return isIt ? (rates.etherOfSymbol(payment_token_symbol, floor_price, atMs) ?? []) : [];
	});
	return prices.length === 0 ? null : Math.min(...prices);
}

const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);
