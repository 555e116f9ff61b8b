// Fills an empty index with events, rollups and collections that agree with each other.

import { join } from "node:path";
import { Client } from "pg";
import type { Migration } from "#core/db/migrate.ts";
import { DAY_MS } from "#core/time.ts";
import {
	BUSY_ACCOUNT,
	type FillOptions,
	fillMonth,
	type Month,
} from "#test/bench/fill/fillMonth.ts";

const LISTINGS = 40;
const OFFERS = 10;
const TOKENS = 40;
const TRAITS = 10;
const SNAPSHOTS = 48;
/** As many as a chain's contracts that are walked, unless somebody sets another number. */
const WALKED = 500;
/** Rows of each of the provider's lists. */
const LISTED = 100;

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

/** The first collections are walked; a fourth of their tokens are one account's. */
const OWNERS = [
	`insert into market_index.ownership
		(collection_id, chain_id, address, next_block, end_block, owners, minted)
	select id, chain_id, address, 1, 0, 3, ${TOKENS} from market_index.collection
	where id <= least($1::int8, ${WALKED}) and $2::float8 > 0`,
	`insert into market_index.owned_span
	select set_id, i, i, case when i % 4 = 0 then decode('${BUSY_ACCOUNT.slice(2)}', 'hex')
		else int8send(i) || decode(repeat('00', 12), 'hex') end, i
	from market_index.ownership, generate_series(1::int8, ${TOKENS}) as i
	where collection_id <= $1::int8 and $2::float8 > 0`,
	`insert into market_index.holder
	select set_id, owner, count(*) from market_index.owned_span
	where $1::int8 + $2::float8 > 0 group by 1, 2`,
];

const ROLLUPS = ["rollup_minute", "rollup_hour", "rollup_day"];

const MARKET = [
	"collection",
	"sync",
	"floor_snapshot",
	"market_order",
	"token",
	"trait_count",
	"discovery_list",
	"ownership",
	"owned_span",
	"holder",
];

/** Two in the morning: a window of 24 hours then has the most hours and minutes to add up. */
const SHAPE = {
	collections: 2_500,
	marketed: 1_000,
	days: 180,
	nowMs: Date.parse("2026-11-20T02:07:30.500Z"),
	chainIds: [1, 8_453],
} satisfies Omit<FillOptions, "events" | "recentEvents">;

/** The two sizes that reads are compared on. */
export const indexSizes = {
	small: { ...SHAPE, events: 100_000, recentEvents: 10_000 },
	large: { ...SHAPE, events: 10_000_000, recentEvents: 1_000_000 },
} satisfies Record<string, FillOptions>;

const ROOT = join(import.meta.dir, "../../..");

/** The migrations of an index. */
export const MIGRATIONS: readonly Migration[] = [
	{ schema: "core", folder: join(ROOT, "core/db/migrations") },
	{ schema: "chain_scanner", folder: join(ROOT, "plugins/chain-scanner/migrations") },
	{ schema: "market_index", folder: join(ROOT, "plugins/market-index/migrations") },
];

/**
 * Fills a migrated, empty index with events, rollups and collections that agree with each other, as
 * lanes would have left them. The server makes all of it, the same in every run.
 */
export async function fillIndex(connectionString: string, options: FillOptions): Promise<void> {
	const clients = [0, 1].map(() => new Client({ connectionString }));
	try {
		for (const client of clients) {
			await client.connect();
			await client.query("set synchronous_commit = off");
			await client.query("set maintenance_work_mem = '512MB'");
			await client.query("set work_mem = '256MB'");
		}
		const [one, other] = clients;
		if (!one || !other) return;
		const restore = await setIndexesAside(
			one,
			ROLLUPS.map((table) => `market_index.${table}`),
		);
		// The last month has most of the events, so it goes first.
		const months = monthsOf(options.nowMs - options.days * DAY_MS, options.nowMs).reverse();
		await shareOut(clients, months, (client, month) => fillMonth(client, month, options));
		await shareOut(clients, restore, (client, statement) => client.query(statement));
		await fillCollections(one, options);
		await fillMarket(one, options);
		// One table each: several in one VACUUM would share nothing but the statement.
		const tables = [...ROLLUPS, ...MARKET, ...months.map(({ name }) => `event_${name}`)];
		await shareOut(clients, tables, (client, table) =>
			client.query(`vacuum (analyze, freeze) market_index.${table}`),
		);
		await one.query("analyze market_index.event");
		await one.query("checkpoint");
	} finally {
		for (const client of clients) await client.end();
	}
}

/** Fills collections 1 to n, in the order of their trade, with the figures of their events. */
async function fillCollections(client: Client, options: FillOptions): Promise<void> {
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

/**
 * Fills in what the provider and tokens' own documents tell of the first collections: figures,
 * books, floors, tokens with ranks and traits, and the lists that pages are made from.
 */
async function fillMarket(client: Client, options: FillOptions): Promise<void> {
	const { marketed, nowMs } = options;
	const atSeconds = nowMs / 1_000;
	const statements = [SYNCS, FIGURES, SNAPSHOT_ROWS, ORDERS, TOKEN_ROWS, ...OWNERS];
	for (const statement of statements) {
		await client.query(statement, [marketed, atSeconds]);
	}
	await client.query(COUNTS);
	await client.query(LISTS, [marketed, atSeconds]);
}

/** Returns the months (UTC) that a span of time touches, oldest first. */
export function monthsOf(fromMs: number, toMs: number): Month[] {
	const months: Month[] = [];
	const start = new Date(fromMs);
	let at = Date.UTC(start.getUTCFullYear(), start.getUTCMonth());
	while (at <= toMs) {
		const first = new Date(at);
		const next = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1);
		months.push({
			name: first.toISOString().slice(0, 7).replace("-", "_"),
			fromMs: at,
			toMs: next,
		});
		at = next;
	}
	return months;
}

/**
 * Drops the keys and indexes of tables; returns the statements that make them again as they were.
 * Sorting once is several times faster than inserting each row.
 */
async function setIndexesAside(client: Client, tables: readonly string[]): Promise<string[]> {
	const restore: string[] = [];
	for (const table of tables) {
		const { rows } = await client.query<{ make: string; unmake: string }>(
			`select format('alter table %s add constraint %I %s', $1::text, conname,
					pg_get_constraintdef(oid)) as make,
				format('alter table %s drop constraint %I', $1::text, conname) as unmake
			from pg_constraint where conrelid = $1::text::regclass and contype in ('p', 'u')
			union all
			select pg_get_indexdef(indexrelid), format('drop index %s', indexrelid::regclass)
			from pg_index where indrelid = $1::text::regclass and not exists (
				select from pg_constraint where conindid = indexrelid
			)`,
			[table],
		);
		for (const { unmake } of rows) await client.query(unmake);
		restore.push(...rows.map(({ make }) => make));
	}
	return restore;
}

/**
 * Shares work between two connections, as there are two cores; each takes the next piece when it is
 * free.
 */
async function shareOut<Piece>(
	clients: readonly Client[],
	pieces: readonly Piece[],
	work: (client: Client, piece: Piece) => Promise<unknown>,
): Promise<void> {
	const left = [...pieces];
	await Promise.all(
		clients.map(async (client) => {
			for (let piece = left.shift(); piece !== undefined; piece = left.shift()) {
				await work(client, piece);
			}
		}),
	);
}

/** Returns SQL for a collection's first or last event of a kind. */
function edgeOf({ kind, end }: { kind: number; end: "asc" | "desc" }): string {
	return `select occurred_at as at, (block_number << 30) | (log_index::int8 << 10) as position,
			token_id, total_raw, total_native, transaction_hash
		from market_index.event where collection_id = n and kind = ${kind} and accepted
		order by occurred_at ${end}, block_number ${end}, log_index ${end} limit 1`;
}
