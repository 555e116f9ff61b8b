import type { Tx } from "#core/db/Database.ts";

export type BookFigures = {
	/** Distinct tokens that any account may buy. */
	listed: number;
	best: { unitNative: string; price: number; symbol: string } | null;
};

/** Computes the figures of a collection's stored asks; by `market_order_book`. */
export async function bookFigures(
	tx: Tx,
	collectionId: number,
	nowMs: number,
): Promise<BookFigures> {
	const rows = await tx.query<{
		listed: number;
		unitNative: string | null;
		price: number | null;
		symbol: string | null;
	}>(
		`with ask as (
			select token_id, unit_native, symbol, decimals, div(total_raw, quantity) as unit_raw
			from market_index.market_order
			where collection_id = $1 and is_active and kind = 0 and not is_private
				and (starts_at is null or starts_at <= $2) and (expires_at is null or expires_at > $2)
		), best as (
			select * from ask where unit_native > 0 order by unit_native limit 1
		)
		select (select count(distinct token_id)::int4 from ask) as listed,
			best.unit_native as "unitNative", best.symbol,
			(best.unit_raw / power(10::numeric, best.decimals))::float8 as price
		from (select) as one left join best on true`,
		[collectionId, new Date(nowMs)],
	);
	const [row] = rows;
	const { listed = 0, unitNative = null, price = null, symbol = null } = row ?? {};
	const isKnown = unitNative !== null && price !== null && symbol !== null;
	return { listed, best: isKnown ? { unitNative, price, symbol } : null };
}
