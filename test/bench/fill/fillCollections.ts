import type { Client } from "pg";
import type { FillOptions } from "#test/bench/fill/FillOptions.ts";

/** Fills collections 1 to n, in the order of their trade, with the figures of their events. */
export async function fillCollections(client: Client, options: FillOptions): Promise<void> {
	const { collections, chainIds, days, nowMs } = options;
	await client.query(
		`insert into market_index.collection (
			id, chain_id, address, standard, slug, name, sync_status, max_supply, registered_at,
			sales, volume_native, last_sale_position, last_sale_at, last_sale_token_id,
			last_sale_unit_native, last_sale_transaction, mints, minted_units, first_mint_at,
			last_mint_at, last_mint_position, last_mint_total_raw, last_mint_quantity
		) overriding system value
		select n, case when n % 5 = 0 then $2::int8 else $3::int8 end,
			'\\x000000000000000000000000'::bytea || int8send(n), 'erc721', 'collection-' || n,
			'Collection ' || n, 'ready', case when n % 7 = 0 then 10000000 end,
			to_timestamp($4::float8) - interval '1 second' * ($5::float8 * 86400 * n / $1::int8),
			coalesce(traded.sales, 0), coalesce(traded.volume, 0), sold.position, sold.at,
			sold.token_id, sold.total_native, sold.transaction_hash, coalesce(traded.mints, 0),
			coalesce(traded.mints, 0), first_minted.at, minted.at, minted.position, minted.total_raw,
			case when minted.at is not null then 1 end
		from generate_series(1, $1::int8) as n
		left join (
			select collection_id, sum(sales) as sales, sum(volume) as volume, sum(mints) as mints
			from market_index.rollup_day group by 1
		) as traded on traded.collection_id = n
		left join lateral (${edgeOf({ kind: 1, end: "desc" })}) as sold on true
		left join lateral (${edgeOf({ kind: 2, end: "desc" })}) as minted on true
		left join lateral (${edgeOf({ kind: 2, end: "asc" })}) as first_minted on true`,
		[collections, chainIds[1], chainIds[0], nowMs / 1_000, days],
	);
}

/** Returns SQL for a collection's first or last event of a kind. */
function edgeOf({ kind, end }: { kind: number; end: "asc" | "desc" }): string {
	return `select occurred_at as at, (block_number << 30) | (log_index::int8 << 10) as position,
			token_id, total_raw, total_native, transaction_hash
		from market_index.event where collection_id = n and kind = ${kind} and accepted
		order by occurred_at ${end}, block_number ${end}, log_index ${end} limit 1`;
}
