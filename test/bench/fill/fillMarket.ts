import type { Client } from "pg";
import type { FillOptions } from "#test/bench/fill/FillOptions.ts";

const LISTINGS = 40;
const OFFERS = 10;
const TOKENS = 40;
const TRAITS = 10;
const SNAPSHOTS = 48;
/** Rows of each of the provider's lists. */
const LISTED = 100;

/**
 * Fills in what the provider and tokens' own documents tell of the first collections: figures,
 * books, floors, tokens with ranks and traits, and the lists that pages are made from.
 */
export async function fillMarket(client: Client, options: FillOptions): Promise<void> {
	const { marketed, nowMs } = options;
	const atSeconds = nowMs / 1_000;
	for (const statement of [SYNCS, FIGURES, SNAPSHOT_ROWS, ORDERS, TOKEN_ROWS]) {
		await client.query(statement, [marketed, atSeconds]);
	}
	await client.query(COUNTS);
	await client.query(LISTS, [marketed, atSeconds]);
}

const SYNCS = `insert into market_index.sync (
		collection_id, chain_id, provider_slug, named_at, synced_at, next_at, generation, orders_at
	)
	select id, chain_id, slug, now.at, now.at, now.at + interval '10 minutes', 1, now.at
	from market_index.collection, (select to_timestamp($2::float8) as at) as now
	where id <= $1::int8`;

const FIGURES = `update market_index.collection set
		image_url = 'https://images.test/' || slug || '.png',
		description = repeat('One of many cats. ', 20), last_provider_at = to_timestamp($2::float8),
		floor_native = id * 1000000000000000::numeric, floor_price = id / 1000.0, floor_symbol = 'ETH',
		floor_usd = id * 3.0, floor_at = to_timestamp($2::float8), listed_count = ${LISTINGS},
		provider_owners = 1000 + id, provider_supply = 10000,
		provider_stats = jsonb_build_object(
			'total', jsonb_build_object('volume', id * 1.5, 'sales', id, 'average_price', 1.5,
				'num_owners', 1000 + id, 'market_cap', id * 10, 'floor_price', id / 1000.0,
				'floor_price_symbol', 'ETH'),
			'intervals', (
				select jsonb_agg(jsonb_build_object('interval', name, 'volume', 1.5, 'volume_diff', 0.1,
					'volume_change', 0.2, 'sales', 3, 'sales_diff', 1, 'average_price', 0.5))
				from unnest(array['one_day', 'seven_day', 'thirty_day']) as name
			)
		),
		provider_stats_at = to_timestamp($2::float8)
	where id <= $1::int8`;

const SNAPSHOT_ROWS = `insert into market_index.floor_snapshot
		(collection_id, at, floor_native, floor_usd)
	select n, to_timestamp($2::float8) - interval '30 minutes' * i,
		n * 990000000000000::numeric, n * 3
	from generate_series(1, $1::int8) as n, generate_series(1, ${SNAPSHOTS}) as i`;

const ORDERS = `insert into market_index.market_order (
		collection_id, order_hash, kind, is_active, generation, token_id, maker, quantity, currency,
		symbol, decimals, total_raw, unit_native, starts_at, expires_at, seen_at
	)
	select n, int8send(n) || int8send(i) || decode(repeat('00', 16), 'hex'),
		case when i <= ${LISTINGS} then 0 else 2 end, true, 1,
		case when i <= ${LISTINGS} then i end,
		int8send(i % 7) || decode(repeat('00', 12), 'hex'), 1, decode(repeat('00', 20), 'hex'), 'ETH',
		18, price, price, now.at - interval '1 day', now.at + interval '1 day', now.at
	from generate_series(1, $1::int8) as n, generate_series(1, ${LISTINGS + OFFERS}) as i,
		lateral (select (n * 100 + i) * 10000000000000::numeric as price) as priced,
		(select to_timestamp($2::float8) as at) as now`;

const TOKEN_ROWS = `insert into market_index.token (
		collection_id, token_id, name, description, image_url, token_uri, token_uri_hash, traits,
		rank, score, source, fetched_at
	)
	select n, i, 'Cat #' || i, repeat('One of many cats. ', 20),
		'https://images.test/' || i || '.png', 'ipfs://cats/' || i, sha256(int8send(i)), (
			select jsonb_agg(
				jsonb_build_object('type', 'Trait ' || t, 'value', 'Value ' || i % (5 + t))
			)
			from generate_series(1, ${TRAITS}) as t
		), i, 1.0 / i, 'chain', to_timestamp($2::float8)
	from generate_series(1, $1::int8) as n, generate_series(1::int8, ${TOKENS}) as i`;

const COUNTS = `insert into market_index.trait_count
		(collection_id, trait_type, value, tokens, floor_native)
	select collection_id, trait ->> 'type', trait ->> 'value', count(*), 1000000000000000
	from market_index.token cross join lateral jsonb_array_elements(traits) as trait
	group by 1, 2, 3`;

const LISTS = `insert into market_index.discovery_list (chain_id, mode, refreshed_at, rows)
	select chain_id, 'v1:worker:' || mode, to_timestamp($2::float8), jsonb_agg(
		jsonb_build_object('slug', slug, 'chainId', chain_id,
			'address', '0x' || encode(address, 'hex'), 'isShared', false, 'name', name,
			'imageUrl', image_url, 'raw', jsonb_build_object('collection', slug, 'name', name,
				'description', description, 'image_url', image_url, 'owner', '',
				'contracts', jsonb_build_array(jsonb_build_object(
					'address', '0x' || encode(address, 'hex'), 'chain', chain_id))))
		order by place)
	from (
		select *, row_number() over (partition by chain_id order by id) as place
		from market_index.collection where id <= $1::int8
	) as listed, unnest(array['trending', 'top', 'new']) as mode
	where place <= ${LISTED}
	group by chain_id, mode`;
