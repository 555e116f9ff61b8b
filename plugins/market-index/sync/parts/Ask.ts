import { z } from "zod";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";

/**
 * The part of a public listing that its figures need; stored while more pages are still to come.
 */
export const ask = z.object({
	tokenId: z.string().nullable(),
	/** The price of one unit in wei of ETH; null where the currency has no exchange rate. */
	unitNative: z.string().nullable(),
	/** For one unit, in display units of `symbol`. */
	price: z.number(),
	symbol: z.string(),
	startsAtMs: z.number().nullable(),
	endsAtMs: z.number().nullable(),
});

export type Ask = z.infer<typeof ask>;

/** Returns the public ones of these listings that have not ended. */
export function asksOf(rows: readonly OrderRow[], nowMs: number): Ask[] {
	const open = rows.filter(
		({ isPrivate, expiresAt }) => !isPrivate && (!expiresAt || expiresAt.getTime() > nowMs),
	);
	return open.map(({ tokenId, unitNative, unitPrice: price, symbol, startsAt, expiresAt }) => {
		const startsAtMs = startsAt?.getTime() ?? null;
		return {
			tokenId,
			unitNative,
			price,
			symbol,
			startsAtMs,
			endsAtMs: expiresAt?.getTime() ?? null,
		};
	});
}
