// Reads what a full sync has learned so far from its row, and measures it.

import { z } from "zod";
import { BEST_PAGES_MAX } from "#plugins/market-index/sync/bounds.ts";

/**
 * The part of a public listing that its figures need; stored while more pages are still to come.
 */
const ask = z.object({
	tokenId: z.string().nullable(),
	/** The price of one unit in wei of ETH; null where the currency has no exchange rate. */
	unitNative: z.string().nullable(),
	/** The price of one unit, in display units of `symbol`. */
	price: z.number(),
	symbol: z.string(),
	startsAtMs: z.number().nullable(),
	endsAtMs: z.number().nullable(),
});

export type Ask = z.infer<typeof ask>;

const part = <Shape extends z.ZodRawShape>(shape: Shape) =>
	z.object({ atMs: z.number(), ...shape }).nullish();

const parts = z.object({
	/** The slug that the provider gave for the contract: it costs a call of its own. */
	name: part({ slug: z.string() }),
	detail: part({
		slug: z.string(),
		isShared: z.boolean(),
		/** Existing units, as text; null where the provider has not counted. */
		supply: z.string().nullable(),
	}),
	stats: part({
		/**
		 * False where the answer could not be read: then it does not even mean that there is no floor.
		 */
		isRead: z.boolean(),
		floor: z.object({ value: z.number(), symbol: z.string() }).nullable(),
		owners: z.number().nullable(),
	}),
	listings: part({
		best: z.object({ unitNative: z.string(), price: z.number(), symbol: z.string() }).nullable(),
		isEmpty: z.boolean(),
		/** The time when the last ask at the best price expires; null where none is known to expire. */
		bestEndsAtMs: z.number().nullable(),
	}),
	/** The pages of the cheapest listings that arrived while a later one is still to come. */
	pages: part({ count: z.int().min(1), cursor: z.string(), asks: z.array(ask) }),
});

/**
 * The answers that a full sync has so far, each with the time of its request. A sync that ends
 * early leaves them to the next one, which reads the missing ones only. The figures made from them
 * are stored already.
 */
export type SyncParts = z.infer<typeof parts>;

/**
 * Pages of the cheapest listings, the time of the first one's request, and the next one's cursor.
 */
export type ListingPages = NonNullable<SyncParts["pages"]>;

/** Returns the parts of a row that are still valid; an older one is read again. */
export function partsOf(stored: unknown, goodFromMs: number): SyncParts {
	const read = parts.safeParse(stored);
	if (!read.success) return {};
	const { name, detail, stats, listings, pages } = read.data;
	const isGood = (one: { atMs: number } | null | undefined) => one && one.atMs >= goodFromMs;
	// Without the collection's detail it is not known whose the rest is.
	if (!isGood(detail)) return isGood(name) ? { name } : {};
	return {
		detail,
		...(isGood(stats) && { stats }),
		...(isGood(listings) && { listings }),
		...(isGood(pages) && { pages }),
	};
}

/** Returns how much a sync has learned, at any age: a part counts more than any page of one. */
export function countParts(stored: unknown): number {
	const { pages, ...whole } = partsOf(stored, 0);
	return Object.keys(whole).length * (BEST_PAGES_MAX + 1) + (pages?.count ?? 0);
}
