import type { Queryable } from "#core/db/Database.ts";
import type { Rows, State } from "#test/sim/oracle/expectedRows.ts";

const hex = (column: string) => `'0x' || encode(${column}, 'hex')`;
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::int8::text`;

/** Everything that the index holds of one chain; surrogate ids and clock times of ours left out. */
export async function readRows(db: Queryable, chainId: number): Promise<State> {
	const [events, collections, minutes, hours, days] = await Promise.all([
		readEvents(db, chainId),
		readCollections(db, chainId),
		readBuckets(db, chainId, "rollup_minute"),
		readBuckets(db, chainId, "rollup_hour"),
		readBuckets(db, chainId, "rollup_day"),
	]);
	return { events, collections, minutes, hours, days };
}

type Row = { key: string } & Record<string, string | null>;

function keyed(rows: readonly Row[]): Rows {
	const found: Rows = new Map();
	for (const { key, ...row } of rows) {
		// A second row under one key is a duplicate, and must not hide behind the first.
		let name = key;
		while (found.has(name)) name += " again";
		found.set(name, row);
	}
	return found;
}

async function readEvents(db: Queryable, chainId: number): Promise<Rows> {
	return keyed(
		await db.query<Row>(
			`select block_number || '.' || log_index || '.' || sub_index as key,
				${ms("occurred_at")} as at,
				coalesce(${hex("c.address")}, 'an unknown collection') as contract,
				kind::text, accepted::text, onchain_verified::text as verified,
				${hex("block_hash")} as block_hash, ${hex("transaction_hash")} as transaction_hash,
				${hex("from_address")} as from, ${hex("to_address")} as to, token_id::text,
				quantity::text, ${hex("currency")} as currency, total_raw::text, total_native::text,
				venue, reason, payload::text
			from market_index.event as e
			left join market_index.collection as c on c.id = e.collection_id and c.chain_id = e.chain_id
			where e.chain_id = $1 order by block_number, log_index, sub_index`,
			[chainId],
		),
	);
}

async function readCollections(db: Queryable, chainId: number): Promise<Rows> {
	return keyed(
		await db.query<Row>(
			`select ${hex("address")} as key, standard, slug, minted_units::text, mints::text,
				${ms("first_mint_at")} as first_mint_at, ${ms("last_mint_at")} as last_mint_at,
				last_mint_position::text, last_mint_total_raw::text, last_mint_quantity::text,
				sales::text, volume_native::text, ${ms("last_sale_at")} as last_sale_at,
				last_sale_position::text, last_sale_token_id::text, last_sale_unit_native::text,
				${hex("last_sale_transaction")} as last_sale_transaction
			from market_index.collection where chain_id = $1
			order by address`,
			[chainId],
		),
	);
}

async function readBuckets(db: Queryable, chainId: number, table: string): Promise<Rows> {
	return keyed(
		await db.query<Row>(
			`select ${hex("address")} || ' ' || ${ms("bucket")} as key, r.sales::text, priced::text,
				units::text, r.mints::text, volume::text, open::text, high::text, low::text, close::text,
				open_position::text, close_position::text
			from market_index.${table} as r join market_index.collection as c on c.id = collection_id
			where r.chain_id = $1 order by address, bucket`,
			[chainId],
		),
	);
}
