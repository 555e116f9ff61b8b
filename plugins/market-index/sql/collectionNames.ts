// Reads collections by name, slug and address, and gives them slugs.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Currencies, KnownCollection } from "#plugins/market-index/event/MarketEvent.ts";

type NamedCollection = { id: number; chainId: number; slug: string; address: Address };

export type SlugWish = { collectionId: number; wish: string };

type Renaming = { chainId: number; wishes: readonly SlugWish[] };

/** Slugs that routes accept, without addresses: one would lead to another contract. */
export const ROUTABLE_SLUG = /^(?!0x[0-9a-f]*$)[a-z0-9][a-z0-9_.-]{0,127}$/;

/**
 * The first half of the advisory lock's key ("slug" in ASCII); the second is the chain's id. Two
 * renames on one chain must not choose the same free slug.
 */
const SLUG_LOCK_SPACE = 0x736c_7567n << 29n;

/** Suffixes end here, at a power of two: more collections of one name keep their addresses. */
const SUFFIX_MAX = 2 ** 20;

/**
 * Each candidate is looked up by unique index. The name itself is nearly always free. Where it is
 * not, suffixes are doubled until one is free, and the span between that and the last taken one is
 * halved: 40 look-ups for all wishes of a name. Trying one after the
 * other would cost as many look-ups as collections share the name. A slug below that became free is
 * not found again; only a fork can cause that.
 *
 * A collection that has the name, had it, or has it with a suffix, needs no new one.
 */
const STATEMENT = `with recursive asked as (
		select mine.id, mine.slug as own, given.wish, given.place, case
			when mine.slug = given.wish then mine.slug
			when exists (
				select from market_index.former_slug as former
				where former.chain_id = $1 and former.slug = given.wish
					and former.collection_id = mine.id
			) then given.wish
			when left(mine.slug, length(given.wish) + 1) = given.wish || '-'
				and substr(mine.slug, length(given.wish) + 2) ~ '^[0-9]+$' then mine.slug
		end as settled
		from unnest($2::int4[], $3::text[]) with ordinality as given (id, wish, place)
		join market_index.collection as mine on mine.id = given.id and mine.chain_id = $1
	), doubled as (
		select wish, count(*) as wanted, 1 as n, ${isTaken("wish")} as is_taken
		from asked where settled is null group by wish
		union all
		select wish, wanted, n * 2, ${isTaken("wish || '-' || (n * 2)")}
		from doubled where is_taken and n < $4::int4
	), halved as (
		select wish, wanted,
			max(n) filter (where is_taken) as low, min(n) filter (where not is_taken) as high
		from doubled group by wish, wanted having bool_or(not is_taken)
		union all
		select wish, wanted, case when is_taken then n else low end,
			case when is_taken then high else n end
		from (
			select *, (low + high) / 2 as n,
				${isTaken("wish || '-' || ((low + high) / 2)")} as is_taken
			from halved where high - low > 1
			offset 0
		) as middle
	), free as (
		select wish, slug, row_number() over (partition by wish order by n) as place
		from halved, generate_series(high, high + wanted * 2) as n, lateral (
			select case n when 1 then wish else wish || '-' || n end as slug
		) as candidate
		where (low is null or high - low = 1) and not ${isTaken("candidate.slug")}
	), fresh as (
		select id, own, wish, row_number() over (partition by wish order by place) as place
		from asked where settled is null
	), chosen as (
		select id, own, settled as slug from asked where settled is not null
		union all
		select id, own, slug from fresh join free using (wish, place)
	), left_behind as (
		insert into market_index.former_slug (chain_id, slug, collection_id)
		select $1, own, id from chosen where own <> slug
		on conflict do nothing
	), renamed as (
		-- Not a join: its plan would read all collections, as it cannot know how few are chosen.
		update market_index.collection as mine
		set slug = (select chosen.slug from chosen where chosen.id = mine.id)
		where mine.id = any(array(select id from chosen where own <> slug))
	)
	select id, slug from chosen`;

/** Returns the registered collections of these contracts; by the index on chain and address. */
export async function findCollections(
	tx: Tx,
	chainId: number,
	addresses: readonly Address[],
): Promise<KnownCollection[]> {
	const rows = await tx.query<Omit<KnownCollection, "isNew">>(
		`select id, '0x' || encode(address, 'hex') as address, slug, name,
			image_url as "imageUrl", excluded
		from market_index.collection where chain_id = $1 and address = any($2::bytea[])`,
		[chainId, addresses.map((address) => bytesOf(address))],
	);
	return rows.map((row) => ({ ...row, isNew: false }));
}

/**
 * Returns a chain's collections whose contracts were never asked what they say, the lowest ids
 * first; by the index `collection_lacking`.
 */
export async function owedNames(
	db: Queryable,
	{ chainId, afterId, limit }: { chainId: number; afterId: number; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select id from market_index.collection
		where chain_id = $1 and metadata_at is null and not excluded and id > $2
		order by id limit $3`,
		[chainId, afterId, limit],
	);
	return rows.map(({ id }) => id);
}

/** Returns what streams show of collections, by primary key. */
export async function readCollectionNames(
	db: Queryable,
	ids: readonly number[],
): Promise<Map<number, KnownCollection>> {
	const rows = await db.query<Omit<KnownCollection, "isNew">>(
		`select id, '0x' || encode(address, 'hex') as address, slug, name, image_url as "imageUrl",
			excluded
		from market_index.collection where id = any($1::int4[])`,
		[ids],
	);
	return new Map(rows.map((row) => [row.id, { ...row, isNew: false }]));
}

/** Returns what is known of these ERC-20s, by primary key. */
export async function readCurrencies(
	db: Queryable,
	chainId: number,
	addresses: readonly Address[],
): Promise<Currencies> {
	if (addresses.length === 0) return new Map();
	const rows = await db.query<{
		address: Address;
		symbol: string | null;
		decimals: number | null;
	}>(
		`select '0x' || encode(address, 'hex') as address, symbol, decimals
		from market_index.currency where chain_id = $1 and address = any($2::bytea[])`,
		[chainId, addresses.map((address) => bytesOf(address))],
	);
	return new Map(rows.map(({ address, symbol, decimals }) => [address, { symbol, decimals }]));
}

/**
 * Returns what a name means on these chains, at most one collection a chain: the contract with that
 * address, else the one with that slug, else the one that had it.
 *
 * The address comes first, so that no contract can name itself after another's address. By the
 * unique indexes of `collection` (chain_id with slug and with address) and `former_slug`'s key.
 */
export async function readNamedCollections(
	db: Queryable,
	options: { chainIds: readonly number[]; slugs: readonly string[]; address: Address | null },
): Promise<NamedCollection[]> {
	const { chainIds, slugs, address } = options;
	return db.query<NamedCollection>(
		`select distinct on (c.chain_id) c.id, c.chain_id as "chainId", c.slug,
			'0x' || encode(c.address, 'hex') as address
		from (
			select id, 1 as priority from market_index.collection
			where chain_id = any($1::int8[]) and address = $3::bytea
			union all
			select id, 2 from market_index.collection
			where chain_id = any($1::int8[]) and slug = any($2::text[])
			union all
			select collection_id, 3 from market_index.former_slug
			where chain_id = any($1::int8[]) and slug = any($2::text[])
		) as named
		join market_index.collection as c on c.id = named.id
		where not c.excluded
		order by c.chain_id, named.priority, c.id`,
		[chainIds, slugs, address === null ? null : bytesOf(address)],
	);
}

/**
 * Returns the provider's stats of a collection as they were sent, by primary key. Not read for
 * lists.
 */
export async function readProviderStats(db: Queryable, collectionId: number): Promise<unknown> {
	const rows = await db.query<{ stats: unknown }>(
		"select provider_stats as stats from market_index.collection where id = $1",
		[collectionId],
	);
	return rows[0]?.stats ?? null;
}

/**
 * Renames one collection as `renameCollections` does; returns its slug, or null where it is gone.
 */
export async function renameCollection(
	tx: Tx,
	options: { chainId: number; collectionId: number; wish: string },
): Promise<string | null> {
	const { chainId, collectionId, wish } = options;
	const slugs = await renameCollections(tx, { chainId, wishes: [{ collectionId, wish }] });
	return slugs.get(collectionId) ?? null;
}

/**
 * Gives collections of one chain their wished slugs, or those with a free suffix; returns the slugs
 * by collection. A slug that any collection of the chain has, or once had, is not free: old links
 * must not lead elsewhere. Earlier wishes go first.
 *
 * One lock and one round trip for all, and few statements: nearly always one. They see what was
 * committed before they had the lock.
 */
export async function renameCollections(tx: Tx, renaming: Renaming): Promise<Map<number, string>> {
	const { chainId, wishes } = renaming;
	if (wishes.length === 0) return new Map();
	// Its plan is always the same, and takes longer to make than to run.
	const [, , answers] = await Promise.all([
		tx.execute("set local plan_cache_mode = force_generic_plan"),
		tx.execute("select pg_advisory_xact_lock($1)", [SLUG_LOCK_SPACE + BigInt(chainId)]),
		Promise.all(turnsOf(wishes).map((turn) => rename(tx, { chainId, wishes: turn }))),
		tx.execute("set local plan_cache_mode to default"),
	]);
	const slugs = new Map(answers.flat().map(({ id, slug }) => [id, slug]));
	const left = wishes.filter(({ collectionId }) => !slugs.has(collectionId));
	// A free suffix may be followed by taken ones: wishes without a slug are handled in the next
	// call.
	if (slugs.size === 0 || left.length === 0) return slugs;
	return new Map([...slugs, ...(await renameCollections(tx, { chainId, wishes: left }))]);
}

/**
 * Splits wishes into turns. A statement does not see what it writes, so wishes that may take the
 * same slug are in different ones: "cats" and "cats-2". Equal wishes are together.
 */
function turnsOf(wishes: readonly SlugWish[]): SlugWish[][] {
	const turns: SlugWish[][] = [];
	const kinds = new Map<string, string[]>();
	for (const given of wishes) {
		const name = given.wish.replace(/(-\d+)+$/, "");
		const known = kinds.get(name) ?? [];
		kinds.set(name, known);
		if (!known.includes(given.wish)) known.push(given.wish);
		const turn = known.indexOf(given.wish);
		const others = turns[turn];
		if (others) others.push(given);
		else turns[turn] = [given];
	}
	return turns;
}

function rename(tx: Tx, { chainId, wishes }: Renaming): Promise<{ id: number; slug: string }[]> {
	return tx.query(STATEMENT, [
		chainId,
		wishes.map(({ collectionId }) => collectionId),
		wishes.map(({ wish }) => wish),
		SUFFIX_MAX,
	]);
}

/**
 * Returns the SQL that tests whether a slug is taken. Not `exists`: for that the planner expects
 * many slugs, and reads the whole table into a hash.
 */
function isTaken(slug: string): string {
	return `coalesce((
		select true from market_index.collection as other
		where other.chain_id = $1 and other.slug = ${slug} limit 1
	), (
		select true from market_index.former_slug as former
		where former.chain_id = $1 and former.slug = ${slug} limit 1
	), false)`;
}
