// Keeps the table of events that only the provider reported, and replaces them by the chain's.

import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import {
	chooseMatch,
	type EventPlace,
	type Unconfirmed,
} from "#plugins/market-index/confirm/matching.ts";
import type { EventRow } from "#plugins/market-index/event/MarketEvent.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import {
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
	type TakenBack,
} from "#plugins/market-index/sql/events.ts";

type UnconfirmedQuery = {
	chainId: number;
	transactions: ReadonlySet<Hex>;
	/** Also find events of these contracts that were reported without a transaction. */
	contracts: ReadonlySet<Address>;
};

type Row = Omit<Unconfirmed, "kind" | "tokenId" | "occurredAtMs"> & {
	kind: number;
	tokenId: string;
	occurredAt: Date;
};

type UnconfirmedColumn =
	| "transactionHash"
	| "collectionId"
	| "kind"
	| "tokenId"
	| "blockNumber"
	| "logIndex"
	| "subIndex"
	| "occurredAtMs";

/** Finds what the provider reported before of a batch, and replaces it by the batch. */
export type Confirmer = {
	/**
	 * Returns what only the provider reported of the batch's transactions. Under the chain's lock.
	 */
	find(db: Queryable, batch: { chainId: number; events: readonly NewEvent[] }): Promise<Told>;
	/** Adds the provider's words to rows; returns the events that they replace. */
	take(tx: Tx, chainId: number, told: Told, rows: EventRow[]): Promise<readonly TakenBack[]>;
};

type Told = readonly Unconfirmed[];

/** Numbers the kinds in the table `unconfirmed`, by index. */
export const UNCONFIRMED_KINDS = ["sale", "mint", "transfer"] as const;

const NOTHING: readonly TakenBack[] = [];

/** Returns whether a chain has any event that only the provider reported; by primary key. */
export async function anyUnconfirmed(db: Queryable, chainId: number): Promise<boolean> {
	const rows = await db.query("select from market_index.unconfirmed where chain_id = $1 limit 1", [
		chainId,
	]);
	return rows.length > 0;
}

/**
 * Returns what only the provider told of these transactions, and of these contracts without a
 * transaction.
 *
 * Both by primary key (chain, transaction): stand-in hashes of a contract are neighbours. Each
 * row's event by its unique index. With nothing unconfirmed this is two look-ups in an empty index.
 * Where retention deleted the event, its payload and parties are gone with it.
 */
export async function findUnconfirmed(
	db: Queryable,
	{ chainId, transactions, contracts }: UnconfirmedQuery,
): Promise<Unconfirmed[]> {
	const spans = [...contracts].map(standInPrefix);
	const rows = await db.query<Row>(
		`with found as (
			select * from market_index.unconfirmed
			where chain_id = $1 and transaction_hash = any($2::bytea[])
			union all
			select u.* from unnest($3::bytea[], $4::bytea[]) as span (low, high)
			join market_index.unconfirmed as u on u.chain_id = $1
				and u.transaction_hash >= span.low and u.transaction_hash <= span.high
		)
		select u.kind, '0x' || encode(u.transaction_hash, 'hex') as "transactionHash",
			u.collection_id as "collectionId", u.token_id as "tokenId",
			u.block_number as "blockNumber", u.log_index as "logIndex", u.sub_index as "subIndex",
			u.occurred_at as "occurredAt",
			coalesce('0x' || encode(e.from_address, 'hex'), '0x') as "from",
			coalesce('0x' || encode(e.to_address, 'hex'), '0x') as "to", e.payload
		from found as u
		left join market_index.event as e on e.chain_id = u.chain_id
			and e.block_number = u.block_number and e.log_index = u.log_index
			and e.sub_index = u.sub_index and e.occurred_at = u.occurred_at`,
		[
			chainId,
			[...transactions].map(bytesOf),
			spans.map((prefix) => bytesOf(`${prefix}${"00".repeat(16)}`)),
			spans.map((prefix) => bytesOf(`${prefix}${"ff".repeat(16)}`)),
		],
	);
	return rows.map(({ kind, tokenId, occurredAt, ...same }) => ({
		...same,
		kind: UNCONFIRMED_KINDS[kind] ?? "transfer",
		tokenId: BigInt(tokenId),
		occurredAtMs: occurredAt.getTime(),
	}));
}

/** Returns the first 16 bytes of every stand-in hash of a contract. */
export function standInPrefix(contract: Address): Hex {
	return `0x${"0".repeat(16)}${contract.slice(2, 18)}`;
}

/** Records events that only the provider reports, and since when that is so again. */
export async function insertUnconfirmed(
	tx: Tx,
	chainId: number,
	rows: readonly Pick<EventRow, UnconfirmedColumn>[],
	leftChainAt: Date | null = null,
): Promise<void> {
	if (rows.length === 0) return;
	await tx.execute(
		`insert into market_index.unconfirmed (
			chain_id, transaction_hash, collection_id, kind, token_id, block_number, log_index,
			sub_index, occurred_at, left_chain_at
		)
		select $1, *, $10::timestamptz from unnest(
			$2::bytea[], $3::int4[], $4::int2[], $5::numeric[], $6::int8[], $7::int4[], $8::int4[],
			$9::timestamptz[]
		)
		on conflict do nothing`,
		[
			chainId,
			rows.map((row) => bytesOf(row.transactionHash)),
			rows.map((row) => row.collectionId),
			rows.map((row) => UNCONFIRMED_KINDS.indexOf(row.kind)),
			rows.map((row) => row.tokenId),
			rows.map((row) => row.blockNumber),
			rows.map((row) => row.logIndex),
			rows.map((row) => row.subIndex),
			rows.map((row) => new Date(row.occurredAtMs)),
			leftChainAt,
		],
	);
}

/**
 * Removes events that a lane has read now, in the order of their places, and returns them. By the
 * unique index of events; a few rows of `unconfirmed` by the chain and their transactions.
 */
export async function takeOutUnconfirmed(
	tx: Tx,
	chainId: number,
	places: readonly (EventPlace & { transaction: Buffer })[],
): Promise<TakenBack[]> {
	const at = places.map(({ occurredAtMs }) => new Date(occurredAtMs));
	const blocks = places.map(({ blockNumber }) => blockNumber);
	const logs = places.map(({ logIndex }) => logIndex);
	const subs = places.map(({ subIndex }) => subIndex);
	const [, rows] = await Promise.all([
		tx.execute(
			`delete from market_index.unconfirmed as u
			using unnest($2::bytea[], $3::int4[], $4::int4[]) as given (hash, log, sub)
			where u.chain_id = $1 and u.transaction_hash = given.hash
				and u.log_index = given.log and u.sub_index = given.sub`,
			[chainId, places.map(({ transaction }) => transaction), logs, subs],
		),
		tx.query<EventColumns & { collectionId: number; standard: "erc721" | "erc1155" }>(
			`with gone as (
				delete from market_index.event as e
				using unnest($2::int8[], $3::int4[], $4::int4[], $5::timestamptz[])
					as given (block, log, sub, at)
				where e.chain_id = $1 and e.block_number = given.block and e.log_index = given.log
					and e.sub_index = given.sub and e.occurred_at = given.at and not e.onchain_verified
				returning e.*
			)
			select ${EVENT_COLUMNS}, e.collection_id as "collectionId", c.standard
			from gone as e join market_index.collection as c on c.id = e.collection_id
			order by e.block_number, e.log_index, e.sub_index`,
			[chainId, blocks, logs, subs, at],
		),
	]);
	return rows.map(({ collectionId, standard, ...row }) => ({
		...eventOf(row),
		collectionId,
		standard,
	}));
}

/**
 * Makes a confirmer with one statement for each batch, sent with the batch's own first one. Without
 * a provider it asks once for each chain whether there ever was one, and then never again.
 */
export function createConfirmer({ hasProvider }: { hasProvider: boolean }): Confirmer {
	const silent = new Set<number>();
	return {
		async find(db, { chainId, events }) {
			if (silent.has(chainId)) return [];
			if (!hasProvider && !(await anyUnconfirmed(db, chainId))) {
				silent.add(chainId);
				return [];
			}
			const transactions = new Set(events.map(({ transactionHash }) => transactionHash));
			const contracts = new Set(events.map(({ contract }) => contract));
			return findUnconfirmed(db, { chainId, transactions, contracts });
		},
		async take(tx, chainId, told, rows) {
			if (told.length === 0) return NOTHING;
			const byToken = new Map<string, EventRow[]>();
			for (const row of rows) {
				const list = byToken.get(keyOf(row));
				if (list) list.push(row);
				else byToken.set(keyOf(row), [row]);
			}
			const confirmed = told.filter((one) => confirm(one, byToken.get(keyOf(one)) ?? []));
			if (confirmed.length === 0) return NOTHING;
			const places = confirmed.map((one) => ({
				...one,
				transaction: bytesOf(one.transactionHash),
			}));
			return takeOutUnconfirmed(tx, chainId, places);
		},
	};
}

function keyOf({ collectionId, tokenId }: Pick<EventRow, "collectionId" | "tokenId">): string {
	return `${collectionId}:${tokenId}`;
}

/**
 * Adds the provider's payload to the row of the same event; false where there is none. What the
 * provider reported of a mint replaces the mint's transfer, and nothing else.
 */
function confirm(told: Unconfirmed, rows: readonly EventRow[]): boolean {
	const candidates = rows.filter((row) => row.onchainVerified || row.kind !== told.kind);
	const match = chooseMatch(told, candidates, candidates[0]?.standard ?? "erc721");
	if (match) match.payload ??= told.payload;
	return match !== null;
}
