// Reads, writes and retires stored orders.

import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import {
	type BookOrder,
	ORDER_KINDS,
	RETIRED_AS,
} from "#plugins/market-index/event/MarketEvent.ts";
import {
	type KnownOrder,
	type OrderRow,
	PRUNED_PER_STATEMENT_MAX,
	RETIRED_KEPT_MS,
} from "#plugins/market-index/orders/OrderRow.ts";

/** An order that was retired or reactivated, with the unit price of a public listing. */
type ChangedOrder = { orderHash: Hex; askNative: string | null };

/** Says whether an order becomes active or retired. */
export type OrderSwitch = {
	orderHash: Hex;
	isActive: boolean;
	/** Units that were bought; null where the whole order changed. */
	bought: bigint | null;
};

/** Deletes orders retired a week ago, by `market_order_retired`; returns how many rows. */
export function deleteRetired(db: Queryable): Promise<number> {
	return db.execute(
		`delete from market_index.market_order where (collection_id, order_hash) in (
			select collection_id, order_hash from market_index.market_order
			where not is_active and retired_at < now() - $1 * interval '1 millisecond'
			limit $2 for update skip locked
		)`,
		[RETIRED_KEPT_MS, PRUNED_PER_STATEMENT_MAX],
	);
}

/** Returns collections with active orders that have expired. */
export async function findExpired(db: Queryable, nowMs: number): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select distinct collection_id as id from (
			select collection_id from market_index.market_order
			where is_active and expires_at <= $1 limit $2
		) as over order by id`,
		[new Date(nowMs), PRUNED_PER_STATEMENT_MAX],
	);
	return rows.map(({ id }) => id);
}

/** Returns the active orders of a collection written since then, by `market_order_book`. */
export function readKnownOrders(
	tx: Tx,
	{ collectionId, since }: { collectionId: number; since: Date },
): Promise<KnownOrder[]> {
	return tx.query<KnownOrder>(
		`select '0x' || encode(order_hash, 'hex') as "orderHash", quantity, total_raw as "totalRaw",
			unit_native as "unitNative", is_private as "isPrivate",
			protocol_data is not null as "hasProtocolData", starts_at as "startsAt",
			expires_at as "expiresAt"
		from market_index.market_order
		where collection_id = $1 and is_active and seen_at > $2`,
		[collectionId, since],
	);
}

/** Returns these orders of a collection as they are stored, by primary key. */
export async function readStoredOrders(
	tx: Tx,
	collectionId: number,
	hashes: readonly Hex[],
): Promise<(BookOrder & { isActive: boolean })[]> {
	const rows = await tx.query<Omit<BookOrder, "kind"> & { kind: number; isActive: boolean }>(
		`select '0x' || encode(order_hash, 'hex') as "orderHash", kind, is_active as "isActive",
			token_id as "tokenId", '0x' || encode(maker, 'hex') as maker, quantity,
			'0x' || encode(currency, 'hex') as currency, symbol, decimals, total_raw as "totalRaw",
			unit_native as "unitNative", '0x' || encode(protocol_address, 'hex') as "protocolAddress",
			criteria, is_private as "isPrivate", starts_at as "startsAt", expires_at as "expiresAt",
			seen_at as "seenAt"
		from market_index.market_order
		where collection_id = $1 and order_hash = any($2::bytea[]) order by order_hash`,
		[collectionId, hashes.map((hash) => bytesOf(hash))],
	);
	return rows.map((row) => ({ ...row, kind: ORDER_KINDS[row.kind] ?? "listing" }));
}

/** Retires expired orders of a collection. The caller must hold the lock of its book. */
export function retireExpired(
	tx: Tx,
	{ collectionId, nowMs }: { collectionId: number; nowMs: number },
): Promise<ChangedOrder[]> {
	return tx.query<ChangedOrder>(
		`update market_index.market_order set is_active = false, retired_at = expires_at,
			retired_as = ${RETIRED_AS.expired}
		where collection_id = $1 and is_active and expires_at <= $2
		returning '0x' || encode(order_hash, 'hex') as "orderHash",
			case when kind = 0 and not is_private then unit_native end as "askNative"`,
		[collectionId, new Date(nowMs)],
	);
}

/**
 * Retires active rows of an earlier generation, of these kinds: the provider's book does not have
 * them any more. Rows seen since the provider was asked stay, as they are newer than the answer.
 * Returns the retired orders' hashes.
 */
export async function retireOrders(
	tx: Tx,
	retire: {
		collectionId: number;
		generation: number;
		kinds: readonly number[];
		/** Orders that belong to this generation as well, though they were not written again. */
		kept: readonly Hex[];
		seenBefore: Date;
		at: Date;
	},
): Promise<Hex[]> {
	const rows = await tx.query<{ orderHash: Hex }>(
		`update market_index.market_order set is_active = false, retired_at = $5,
			retired_as = ${RETIRED_AS.missing}
		where collection_id = $1 and is_active and generation < $2 and kind = any($3::int2[])
			and seen_at < $4 and order_hash <> all($6::bytea[])
		returning '0x' || encode(order_hash, 'hex') as "orderHash"`,
		[
			retire.collectionId,
			retire.generation,
			retire.kinds,
			retire.seenBefore,
			retire.at,
			retire.kept.map((hash) => bytesOf(hash)),
		],
	);
	return rows.map(({ orderHash }) => orderHash);
}

/**
 * Retires or reactivates orders, each at most once, by primary key; returns those that changed.
 * After a partial purchase an order is retired only if those were all units.
 */
export async function setOrdersActive(
	tx: Tx,
	set: {
		collectionId: number;
		generation: number;
		at: Date;
		switches: readonly OrderSwitch[];
	},
): Promise<(ChangedOrder & { isActive: boolean })[]> {
	const { switches } = set;
	if (switches.length === 0) return [];
	return await tx.query(
		`update market_index.market_order as kept set is_active = given.active, generation = $2,
			seen_at = $3, retired_at = case when given.active then null else $3::timestamptz end,
			retired_as = case when given.active then null when given.bought is null
				then ${RETIRED_AS.gone} else ${RETIRED_AS.filled} end
		from unnest($4::bytea[], $5::boolean[], $6::numeric[]) as given (hash, active, bought)
		where kept.collection_id = $1 and kept.order_hash = given.hash
			and kept.is_active <> given.active
			and (given.bought is null or kept.quantity <= given.bought)
		returning '0x' || encode(kept.order_hash, 'hex') as "orderHash", kept.is_active as "isActive",
			case when kept.kind = 0 and not kept.is_private then kept.unit_native end as "askNative"`,
		[
			set.collectionId,
			set.generation,
			set.at,
			switches.map(({ orderHash }) => bytesOf(orderHash)),
			switches.map(({ isActive }) => isActive),
			switches.map(({ bought }) => bought),
		],
	);
}

/**
 * Stores orders that can be filled by the provider's word, by primary key; returns the hashes of
 * those that were not active before.
 *
 * `known` is not joined with the given rows: the planner expects few of these, and then read the
 * whole book for each of a thousand (5,000 orders took four times as long).
 *
 * An order retired after `knownAt`, when the provider was asked, stays retired, as the answer is
 * older. An unknown ETH equivalent never erases a known one.
 */
export async function upsertOrders(
	tx: Tx,
	write: {
		collectionId: number;
		generation: number;
		rows: readonly OrderRow[];
		knownAt: Date;
		seenAt: Date;
	},
): Promise<Hex[]> {
	const { rows } = write;
	const fresh = await tx.query<{ orderHash: Hex }>(
		`with given as (
			select * from unnest(
				$5::bytea[], $6::int2[], $7::numeric[], $8::bytea[], $9::numeric[], $10::bytea[],
				$11::text[], $12::int4[], $13::numeric[], $14::numeric[], $15::bytea[], $16::jsonb[],
				$17::boolean[], $18::jsonb[], $19::timestamptz[], $20::timestamptz[]
			) as t (order_hash, kind, token_id, maker, quantity, currency, symbol, decimals, total_raw,
				unit_native, protocol_address, criteria, is_private, protocol_data, starts_at, expires_at)
		), known as (
			select order_hash from market_index.market_order
			where collection_id = $1 and order_hash = any($5::bytea[]) and is_active
		), stored as (
			insert into market_index.market_order as kept (
				collection_id, generation, is_active, seen_at, order_hash, kind, token_id, maker,
				quantity, currency, symbol, decimals, total_raw, unit_native, protocol_address, criteria,
				is_private, protocol_data, starts_at, expires_at
			)
			select $1, $2, true, $4, given.* from given
			on conflict (collection_id, order_hash) do update set
				generation = excluded.generation, is_active = true, seen_at = excluded.seen_at,
				retired_at = null, retired_as = null,
				quantity = excluded.quantity, total_raw = excluded.total_raw,
				unit_native = coalesce(excluded.unit_native, kept.unit_native),
				is_private = excluded.is_private,
				protocol_data = coalesce(excluded.protocol_data, kept.protocol_data),
				starts_at = excluded.starts_at, expires_at = excluded.expires_at
			where kept.is_active or kept.retired_at is null or kept.retired_at < $3
			returning kept.order_hash
		)
		select '0x' || encode(order_hash, 'hex') as "orderHash" from stored
		where order_hash not in (select order_hash from known)`,
		[
			write.collectionId,
			write.generation,
			write.knownAt,
			write.seenAt,
			rows.map((row) => bytesOf(row.orderHash)),
			rows.map((row) => ORDER_KINDS.indexOf(row.kind)),
			rows.map((row) => row.tokenId),
			rows.map((row) => bytesOf(row.maker)),
			rows.map((row) => row.quantity),
			rows.map((row) => optionalBytes(row.currency)),
			rows.map((row) => row.symbol),
			rows.map((row) => row.decimals),
			rows.map((row) => row.totalRaw),
			rows.map((row) => row.unitNative),
			rows.map((row) => optionalBytes(row.protocolAddress)),
			rows.map((row) => JSON.stringify(row.criteria)),
			rows.map((row) => row.isPrivate),
			rows.map((row) => (row.protocolData === null ? null : JSON.stringify(row.protocolData))),
			rows.map((row) => row.startsAt),
			rows.map((row) => row.expiresAt),
		],
	);
	return fresh.map(({ orderHash }) => orderHash);
}

function optionalBytes(address: Address | null): Buffer | null {
	return address === null ? null : bytesOf(address);
}
