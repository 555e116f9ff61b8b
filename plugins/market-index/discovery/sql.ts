// Stores the provider's lists, and finds the collections of their rows.

import { z } from "zod";
import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import {
	type ListedRow,
	listedRowSchema,
} from "#plugins/market-index/register/registerCollections.ts";

/** Holds one of the provider's lists as last read. */
export type DiscoveryList = { rows: ListedRow[]; refreshedAtMs: number };

/** A collection with the provider's slug. */
export type NamedRow = { id: number; slug: string };

/** `asked`: read for one request, while no worker had read it. */
export type ListKey = { chainId: number; mode: ListMode; by: "worker" | "asked" };

/** A listed row with its collection in the index; null where there is none. */
type ResolvedRow = {
	listed: ListedRow;
	own: OwnPlace | null;
	/** The chain by our index, else by the provider; null where neither knows it. */
	chainId: number | null;
};

export type Unfilled = { id: number; chainId: number; address: Address };

type OwnPlace = { id: number; chainId: number; excluded: boolean };

/** A collection that a listed row may be; its slug is the provider's, null before any sync. */
type Candidate = OwnPlace & { place: number; isContract: boolean; slug: string | null };

type Named = { chain: { id: number }; mode: ListMode };

/** The provider's lists, by how they are ordered. */
export const LIST_MODES = ["trending", "top", "new"] as const;

export type ListMode = (typeof LIST_MODES)[number];

const rowsSchema = z.array(listedRowSchema);

/**
 * Returns those of these collections that the provider knows, in the given order. Collections whose
 * slug has several contracts are left out: the provider's figures belong to no single one of them.
 */
export async function namedRows(
	db: Queryable,
	collectionIds: readonly number[],
): Promise<NamedRow[]> {
	return await db.query<NamedRow>(
		`select s.collection_id as id, s.provider_slug as slug
		from unnest($1::int4[]) with ordinality as given (id, place)
		join market_index.sync as s on s.collection_id = given.id
		join market_index.collection as c on c.id = given.id
		where s.provider_slug is not null
			and jsonb_path_query_first(c.provider_row, '$.contracts[1]') is null
		order by given.place`,
		[collectionIds],
	);
}

/** Stores a list in place of the one before. */
export async function storeList(db: Queryable, key: ListKey, list: DiscoveryList): Promise<void> {
	await db.execute(
		`insert into market_index.discovery_list (chain_id, mode, refreshed_at, rows)
		values ($1, $2, $3, $4::jsonb)
		on conflict (chain_id, mode) do update
			set refreshed_at = excluded.refreshed_at, rows = excluded.rows
			where discovery_list.refreshed_at <= excluded.refreshed_at`,
		[key.chainId, nameOf(key), new Date(list.refreshedAtMs), JSON.stringify(list.rows)],
	);
}

/**
 * Returns a list that is no older than that; null where none can be read: then it is read again.
 */
export async function readList(
	db: Queryable,
	key: ListKey,
	{ nowMs, maxAgeMs }: { nowMs: number; maxAgeMs: number },
): Promise<DiscoveryList | null> {
	const [found] = await db.query<{ rows: unknown; refreshedAt: Date }>(
		`select rows, refreshed_at as "refreshedAt" from market_index.discovery_list
		where chain_id = $1 and mode = $2 and refreshed_at > $3`,
		[key.chainId, nameOf(key), new Date(nowMs - maxAgeMs)],
	);
	const rows = rowsSchema.safeParse(found?.rows).data;
	if (!found || !rows) return null;
	return { rows, refreshedAtMs: found.refreshedAt.getTime() };
}

/**
 * Finds the collections of listed rows. Our own index comes first, even where the provider names a
 * contract: a provider's chain may be another one's, or wrong.
 *
 * Contracts by `collection_chain_id_address_key`, slugs by `sync_slug`.
 */
export async function resolveListed(
	db: Queryable,
	rows: readonly ListedRow[],
): Promise<ResolvedRow[]> {
	if (rows.length === 0) return [];
	const found = await db.query<Candidate>(
		`select given.place::int4, own.*
		from unnest($1::text[], $2::int8[], $3::bytea[]) with ordinality
			as given (slug, chain_id, address, place)
		cross join lateral (
			select c.id, c.chain_id as "chainId", c.excluded, true as "isContract",
				s.provider_slug as slug
			from market_index.collection as c
			left join market_index.sync as s on s.collection_id = c.id
			where c.chain_id = given.chain_id and c.address = given.address
			union all
			select c.id, c.chain_id, c.excluded, false, s.provider_slug
			from market_index.sync as s
			join market_index.collection as c on c.id = s.collection_id
			where s.provider_slug = given.slug
		) as own`,
		[
			rows.map(({ slug }) => slug),
			rows.map(({ chainId }) => chainId),
			rows.map(({ address }) => address && bytesOf(address)),
		],
	);
	const byPlace = Map.groupBy(found, ({ place }) => place - 1);
	return rows.map((listed, place) => {
		const own = choose(listed, byPlace.get(place) ?? []);
		return { listed, own, chainId: own?.chainId ?? listed.chainId };
	});
}

/**
 * Returns the worker's lists, unread ones first, then the oldest: otherwise a tick that a limit
 * ends would always miss the same lists.
 */
export async function stalestFirst<List extends Named>(
	db: Queryable,
	lists: readonly List[],
): Promise<List[]> {
	const nameOfList = ({ chain, mode }: Named) => `${chain.id} ${nameOf({ mode, by: "worker" })}`;
	const read = await db.query<{ name: string; refreshedAt: Date }>(
		`select chain_id || ' ' || mode as name, refreshed_at as "refreshedAt"
		from market_index.discovery_list where chain_id = any ($1::int8[])`,
		[lists.map(({ chain }) => chain.id)],
	);
	const times = new Map(read.map(({ name, refreshedAt }) => [name, refreshedAt.getTime()]));
	const timeOf = (list: Named) => times.get(nameOfList(list)) ?? Number.NEGATIVE_INFINITY;
	return lists
		.map((list) => ({ list, atMs: timeOf(list) }))
		.sort((one, other) => (one.atMs === other.atMs ? 0 : one.atMs - other.atMs))
		.map(({ list }) => list);
}

/**
 * Returns the name under which a list is stored: it includes the version, so that a later version
 * never misreads it.
 */
function nameOf({ mode, by }: Pick<ListKey, "mode" | "by">): string {
	return `v2:${by}:${mode}`;
}

/** Returns the first of these collections without a floor or owners that were not read lately. */
export async function unfilled(
	db: Queryable,
	query: { collectionIds: readonly number[]; askedBefore: Date; limit: number },
): Promise<Unfilled[]> {
	return await db.query<Unfilled>(
		`select c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address
		from unnest($1::int4[]) with ordinality as given (id, place)
		join market_index.collection as c on c.id = given.id
		where not c.excluded and (c.floor_native is null or c.provider_owners is null)
			and (c.provider_stats_at is null or c.provider_stats_at <= $2)
		order by given.place limit $3`,
		[query.collectionIds, query.askedBefore, query.limit],
	);
}

/**
 * Chooses our collection for a listed row: by the contract that the row names, then by chain and
 * slug, then by the slug alone where only one chain has it. A contract that we know under another
 * slug comes last: the provider has renamed it since.
 */
function choose(listed: ListedRow, candidates: readonly Candidate[]): OwnPlace | null {
	const contract = candidates.find(({ isContract }) => isContract);
	if (contract && (contract.slug === null || contract.slug === listed.slug)) return contract;
	const named = candidates.filter(({ isContract }) => !isContract);
	const here = named.find(({ chainId }) => chainId === listed.chainId);
	const [only = null, another] = named;
	return here ?? (another ? null : only) ?? contract ?? null;
}
