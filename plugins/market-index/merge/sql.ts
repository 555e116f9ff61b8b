// Reads and writes the stored events that a provider's events are merged with.

import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import {
	type Candidate,
	type EventPlace,
	MATCH_WINDOW_MS,
	type Matched,
	type ProviderRow,
} from "#plugins/market-index/confirm/matching.ts";
import { UNCONFIRMED_KINDS } from "#plugins/market-index/confirm/unconfirmed.ts";
import { EVENT_KIND, isStandIn } from "#plugins/market-index/event/MarketEvent.ts";
import {
	DOUBTED_PER_PART_MAX,
	type Neighbour,
} from "#plugins/market-index/merge/readProviderEvent.ts";
import { EVENT_COLUMNS, type EventColumns, eventOf } from "#plugins/market-index/sql/events.ts";

type Attached = EventPlace & { payload: Readonly<Record<string, unknown>> };

type StoredCandidate = Candidate & EventPlace;

type Doubted = EventPlace & { transaction: Buffer };

export type Neighbours = { before: Neighbour | null; after: Neighbour | null };

/** A collection of the index that the provider's events are about. */
export type MergedCollection = { id: number; chainId: number; address: Address };

/** Holds what merging needs to know of a collection. */
export type MergedInto = { standard: "erc721" | "erc1155"; excluded: boolean };

type Row = {
	beforeBlock: number | null;
	beforeAt: Date | null;
	afterBlock: number | null;
	afterAt: Date | null;
};

/** Adds the provider's words to events without any, by the unique index. */
export async function attachPayloads(
	tx: Tx,
	chainId: number,
	attached: readonly Attached[],
): Promise<void> {
	if (attached.length === 0) return;
	await tx.execute(
		`update market_index.event as e set payload = given.payload
		from unnest($2::int8[], $3::int4[], $4::int4[], $5::timestamptz[], $6::jsonb[])
			as given (block, log, sub, at, payload)
		where e.chain_id = $1 and e.block_number = given.block and e.log_index = given.log
			and e.sub_index = given.sub and e.occurred_at = given.at and e.payload is null`,
		[
			chainId,
			attached.map(({ blockNumber }) => blockNumber),
			attached.map(({ logIndex }) => logIndex),
			attached.map(({ subIndex }) => subIndex),
			attached.map(({ occurredAtMs }) => new Date(occurredAtMs)),
			attached.map(({ payload }) => JSON.stringify(payload)),
		],
	);
}

/** Returns the collection of a contract, by its unique index; null where the index has none. */
export async function findByContract(
	db: Queryable,
	chainId: number,
	address: Address,
): Promise<MergedCollection | null> {
	const rows = await db.query<{ id: number }>(
		"select id from market_index.collection where chain_id = $1 and address = $2",
		[chainId, bytesOf(address)],
	);
	return rows[0] ? { id: rows[0].id, chainId, address } : null;
}

/**
 * Returns a collection's stored events that may be these, or events of the same token at about that
 * time where the provider named no transaction.
 *
 * By `event_by_collection` (collection, kind, time) in the spans of time around the events; spans
 * that touch are joined, so nothing is read twice.
 */
export async function findChainEvents(
	db: Queryable,
	collectionId: number,
	told: readonly Matched[],
): Promise<StoredCandidate[]> {
	const spans = spansOf(told.map(({ occurredAtMs }) => occurredAtMs));
	const hashes = new Set<Hex>();
	const tokens = new Set<bigint>();
	const kinds = new Set<number>();
	for (const { kind, transactionHash, tokenId } of told) {
		hashes.add(transactionHash);
		if (isStandIn(transactionHash)) tokens.add(tokenId);
		kinds.add(EVENT_KIND[kind]);
		if (kind === "transfer") kinds.add(EVENT_KIND.mint);
	}
	const rows = await db.query<EventColumns>(
		`select ${EVENT_COLUMNS}
		from unnest($2::timestamptz[], $3::timestamptz[]) as span (low, high)
		cross join lateral (
			select * from market_index.event as e
			where e.collection_id = $1 and e.kind = any($4::int2[])
				and e.occurred_at >= span.low and e.occurred_at <= span.high
				and (e.transaction_hash = any($5::bytea[]) or e.token_id = any($6::numeric[])
					or e.transaction_hash < '\\x0000000000000001')
		) as e
		join market_index.collection as c on c.id = e.collection_id`,
		[
			collectionId,
			spans.map(({ fromMs }) => new Date(fromMs)),
			spans.map(({ toMs }) => new Date(toMs)),
			[...kinds],
			[...hashes].map(bytesOf),
			[...tokens],
		],
	);
	return rows.map(eventOf);
}

/**
 * Returns events of a kind whose block left the chain before a time, up to a block that the chain
 * has since read far beyond; by `unconfirmed_left`.
 */
export async function findDoubted(
	db: Queryable,
	doubt: { chainId: number; kind: "sale" | "mint"; before: Date; toBlock: number },
): Promise<Doubted[]> {
	const rows = await db.query<Omit<Doubted, "occurredAtMs"> & { occurredAt: Date }>(
		`select block_number as "blockNumber", log_index as "logIndex", sub_index as "subIndex",
			occurred_at as "occurredAt", transaction_hash as transaction
		from market_index.unconfirmed
		where chain_id = $1 and left_chain_at <= $2 and kind = $3 and block_number <= $4
		order by left_chain_at limit $5`,
		[
			doubt.chainId,
			doubt.before,
			UNCONFIRMED_KINDS.indexOf(doubt.kind),
			doubt.toBlock,
			DOUBTED_PER_PART_MAX,
		],
	);
	return rows.map(({ occurredAt, ...place }) => ({ ...place, occurredAtMs: occurredAt.getTime() }));
}

/**
 * Returns for each event the stored ones of its collection and kind before and after it in time:
 * two index reads in `event_by_collection` each. The same time counts as before.
 */
export async function findNeighbours(
	db: Queryable,
	collectionId: number,
	rows: readonly Pick<ProviderRow, "kind" | "occurredAtMs">[],
): Promise<Neighbours[]> {
	if (rows.length === 0) return [];
	const found = await db.query<Row>(
		`select low.block_number as "beforeBlock", low.occurred_at as "beforeAt",
			high.block_number as "afterBlock", high.occurred_at as "afterAt"
		from unnest($2::int2[], $3::timestamptz[]) with ordinality as given (kind, at, place)
		left join lateral (
			select e.block_number, e.occurred_at from market_index.event as e
			where e.collection_id = $1 and e.kind = given.kind and e.occurred_at <= given.at
			order by e.occurred_at desc limit 1
		) as low on true
		left join lateral (
			select e.block_number, e.occurred_at from market_index.event as e
			where e.collection_id = $1 and e.kind = given.kind and e.occurred_at > given.at
			order by e.occurred_at limit 1
		) as high on true
		order by given.place`,
		[
			collectionId,
			rows.map(({ kind }) => EVENT_KIND[kind]),
			rows.map(({ occurredAtMs }) => new Date(occurredAtMs)),
		],
	);
	return found.map(({ beforeBlock, beforeAt, afterBlock, afterAt }) => ({
		before: neighbour(beforeBlock, beforeAt),
		after: neighbour(afterBlock, afterAt),
	}));
}

/**
 * Returns the lowest block of a chain from which an event was read, with its time. By the unique
 * index (chain, block), skipping older events that only the provider reported.
 */
export async function firstChainEvent(db: Queryable, chainId: number): Promise<Neighbour | null> {
	const rows = await db.query<{ blockNumber: number; occurredAt: Date }>(
		`select block_number as "blockNumber", occurred_at as "occurredAt" from market_index.event
		where chain_id = $1 and onchain_verified order by block_number limit 1`,
		[chainId],
	);
	const [row] = rows;
	return row ? { blockNumber: row.blockNumber, occurredAtMs: row.occurredAt.getTime() } : null;
}

/**
 * Reads it by primary key. Null where the collection is gone, because its events left the chain.
 */
export async function readMergedInto(
	db: Queryable,
	collectionId: number,
): Promise<MergedInto | null> {
	const rows = await db.query<MergedInto>(
		`select standard, excluded from market_index.collection where id = $1`,
		[collectionId],
	);
	return rows[0] ?? null;
}

/** Returns the window around each time; overlapping ones joined. */
function spansOf(timesMs: readonly number[]): { fromMs: number; toMs: number }[] {
	const spans: { fromMs: number; toMs: number }[] = [];
	for (const atMs of [...timesMs].sort((a, b) => a - b)) {
		const last = spans.at(-1);
		const toMs = atMs + MATCH_WINDOW_MS;
		if (last && atMs - MATCH_WINDOW_MS <= last.toMs) last.toMs = toMs;
		else spans.push({ fromMs: atMs - MATCH_WINDOW_MS, toMs });
	}
	return spans;
}

function neighbour(blockNumber: number | null, at: Date | null): Neighbour | null {
	return blockNumber === null || at === null ? null : { blockNumber, occurredAtMs: at.getTime() };
}
