import { GAS_OF_A_FIRST_FILL, GAS_OF_ANOTHER_FILL } from "#plugins/market-index/quote/limits.ts";

/** A listing as an estimate needs it; amounts for all `quantity` units. */
export type QuotedListing = {
	quantity: bigint;
	totalRaw: bigint;
	/** For one unit, in wei of ETH. */
	unitNative: bigint | null;
	/** The part that others than the seller get, for all units; null where the order does not say. */
	feeRaw: bigint | null;
	currency: string | null;
	symbol: string;
	decimals: number;
};

export type QuoteLine<Listing extends QuotedListing> = { listing: Listing; units: bigint };

export type Quote<Listing extends QuotedListing> = {
	lines: QuoteLine<Listing>[];
	/** Units that the listings have; fewer than wanted where the book is too thin. */
	units: bigint;
	/** Sum over the lines in wei of ETH; null as soon as one price is unknown. */
	subtotalNative: bigint | null;
	/** The part of the subtotal that others than sellers get; null where unknown. */
	feeNative: bigint | null;
	gasUnits: bigint;
};

/**
 * Fills `units` from listings, the first one first. Nothing is rounded in the buyer's favour: a
 * part of a listing costs its share rounded up.
 */
export function estimateQuote<Listing extends QuotedListing>(
	listings: readonly Listing[],
	units: bigint,
): Quote<Listing> {
	const lines: QuoteLine<Listing>[] = [];
	let left = units;
	for (const listing of listings) {
		if (left === 0n) break;
		const taken = listing.quantity < left ? listing.quantity : left;
		lines.push({ listing, units: taken });
		left -= taken;
	}
	return {
		lines,
		units: units - left,
		subtotalNative: sum(lines, ({ listing, units: taken }) => {
			return listing.unitNative === null ? null : listing.unitNative * taken;
		}),
		feeNative: sum(lines, ({ listing, units: taken }) => {
			const { feeRaw, totalRaw, unitNative } = listing;
			if (feeRaw === null || unitNative === null || totalRaw === 0n) return null;
			return divideUp(unitNative * taken * feeRaw, totalRaw);
		}),
		gasUnits:
			lines.length === 0
				? 0n
				: GAS_OF_A_FIRST_FILL + BigInt(lines.length - 1) * GAS_OF_ANOTHER_FILL,
	};
}

function sum<Item>(items: readonly Item[], of: (item: Item) => bigint | null): bigint | null {
	let total = 0n;
	for (const item of items) {
		const part = of(item);
		if (part === null) return null;
		total += part;
	}
	return total;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
	return (dividend + divisor - 1n) / divisor;
}
