// Claims, locks, names, defers and ends syncs in the table `sync`.

import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { storablePayload } from "#plugins/market-index/payload.ts";
import {
	BEGUN_AHEAD_MS,
	GAP_MARGIN_MS,
	IN_LINE_MS,
	QUEUED_AHEAD_MS,
	WATCHED_AHEAD_MS,
} from "#plugins/market-index/sync/bounds.ts";

/** Holds what a sync knows of its collection when it begins. */
export type SyncRow = {
	id: number;
	chainId: number;
	address: Address;
	slug: string;
	status: string;
	registeredAt: Date;
	providerSlug: string | null;
	startedAt: Date | null;
	syncedAt: Date | null;
	failures: number;
	/** True where no sync ever succeeded: its first one also brings the recent sales. */
	isFirst: boolean;
	/** The answers of a sync that did not end; `partsOf` reads it. */
	parts: unknown;
};

/** Orders syncs: by their due time, less the lead of new, watched and begun ones. */
const PLACE = `due.next_at
	- case when c.sync_status = 'queued' then interval '${QUEUED_AHEAD_MS} ms' else '0' end
	- case when due.watched_until > $2 then interval '${WATCHED_AHEAD_MS} ms' else '0' end
	- case when due.parts is not null then interval '${BEGUN_AHEAD_MS} ms' else '0' end`;

/** "pslug" in ASCII: keeps this lock apart from others that are made from a hash. */
const PROVIDER_SLUG_LOCK_SPACE = 0x70_736c_7567n << 20n;

const IS_SAME = "mine.provider_slug is not distinct from $2";

/** Adds a row for collections that were never looked for at the provider, newest first. */
export async function trackCollections(
	db: Queryable,
	{ chainIds, limit }: { chainIds: readonly number[]; limit: number },
): Promise<void> {
	await db.execute(
		`insert into market_index.sync (collection_id, chain_id, next_at)
		select c.id, c.chain_id, c.registered_at from market_index.collection as c
		where c.chain_id = any($1::int8[]) and not c.excluded
			and not exists (select from market_index.sync as s where s.collection_id = c.id)
		order by c.id desc limit $2
		on conflict do nothing`,
		[chainIds, limit],
	);
}

/**
 * Claims collections whose full sync is due, and returns them in order, the oldest first. Those
 * never synced, those that are looked at, and those with stored parts go before others, but only by
 * a limited time: however many of them come, a collection further behind than that has its turn. A
 * failed one always waits for its own time.
 */
export async function claimSyncs(
	tx: Tx,
	claim: { chainIds: readonly number[]; nowMs: number; limit: number },
): Promise<{ id: number; isWatched: boolean }[]> {
	const rows = await tx.query<{ id: number; isWatched: boolean; place: Date }>(
		`update market_index.sync as s set next_at = $3, enqueued_at = $2
		from (
			select due.collection_id, ${PLACE} as place from market_index.sync as due
			join market_index.collection as c on c.id = due.collection_id and not c.excluded
			where due.next_at <= $2 and due.chain_id = any($1::int8[])
			order by place, due.collection_id limit $4 for update of due skip locked
		) as taken
		where s.collection_id = taken.collection_id
		returning s.collection_id as id, coalesce(s.watched_until > $2, false) as "isWatched", place`,
		[claim.chainIds, new Date(claim.nowMs), new Date(claim.nowMs + IN_LINE_MS), claim.limit],
	);
	// An update returns its rows in any order.
	const inOrder = rows.toSorted((a, b) => a.place.getTime() - b.place.getTime() || a.id - b.id);
	return inOrder.map(({ id, isWatched }) => ({ id, isWatched }));
}

/** Locks the sync of a collection until the transaction ends; its row first, as everywhere. */
export async function lockSync(tx: Tx, collectionId: number): Promise<SyncRow | null> {
	await tx.execute(
		`insert into market_index.sync (collection_id, chain_id)
		select id, chain_id from market_index.collection where id = $1
		on conflict do nothing`,
		[collectionId],
	);
	await tx.query("select from market_index.sync where collection_id = $1 for update", [
		collectionId,
	]);
	const rows = await tx.query<SyncRow>(
		`select c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address, c.slug,
			c.sync_status as status, c.registered_at as "registeredAt",
			s.provider_slug as "providerSlug", s.started_at as "startedAt",
			s.synced_at as "syncedAt", s.failures, s.synced_at is null as "isFirst", s.parts
		from market_index.sync as s join market_index.collection as c on c.id = s.collection_id
		where s.collection_id = $1 and not c.excluded`,
		[collectionId],
	);
	return rows[0] ?? null;
}

/**
 * Stores the provider's slug of a collection, and returns whether the collection has it now. It
 * gets a slug only where no other contract of the chain has it: otherwise two contracts would each
 * get the other's events. Two that are synced at the same moment wait for each other here.
 *
 * A walk under another slug ends: a new one begins, and the holder of the old turn changes nothing
 * any more.
 */
export async function nameSync(
	tx: Tx,
	sync: { collectionId: number; providerSlug: string | null; at: Date },
): Promise<boolean> {
	const { collectionId, providerSlug, at } = sync;
	if (providerSlug !== null) {
		await tx.execute(
			`select pg_advisory_xact_lock($2::int8 # hashtextextended(chain_id || ':' || $3, 0))
			from market_index.sync where collection_id = $1`,
			[collectionId, PROVIDER_SLUG_LOCK_SPACE, providerSlug],
		);
	}
	const rows = await tx.query<{ providerSlug: string | null }>(
		`update market_index.sync as mine set named_at = $3,
			provider_slug = case when exists (
				select from market_index.sync as other
				where other.chain_id = mine.chain_id and other.provider_slug = $2
					and other.collection_id <> mine.collection_id
			) then null else $2 end,
			walk_from = case when ${IS_SAME} then walk_from end,
			walk_until = case when ${IS_SAME} then walk_until end,
			walk_reached = case when ${IS_SAME} then walk_reached end,
			walk_cursor = case when ${IS_SAME} then walk_cursor end,
			walk_hole = case when ${IS_SAME} then walk_hole end,
			walk_failures = case when ${IS_SAME} then walk_failures else 0 end,
			walk_pages = case when ${IS_SAME} then walk_pages else 0 end,
			walk_idle = case when ${IS_SAME} then walk_idle else 0 end,
			book_progress = case when ${IS_SAME} then book_progress end,
			events_newest = case when ${IS_SAME} then events_newest end,
			turn = turn + case when ${IS_SAME} then 0 else 1 end,
			turn_until = case when ${IS_SAME} then turn_until end
		where collection_id = $1 returning provider_slug as "providerSlug"`,
		[collectionId, providerSlug, at],
	);
	return rows[0]?.providerSlug != null;
}

/** Ends a sync that succeeded: its parts are removed, as they belong to no later one. */
export async function closeSync(
	tx: Tx,
	sync: { collectionId: number; at: Date; nextAt: Date },
): Promise<void> {
	await tx.execute(
		`update market_index.sync set synced_at = $2, failures = 0, failed_code = null,
			next_at = $3, parts = null
		where collection_id = $1`,
		[sync.collectionId, sync.at, sync.nextAt],
	);
}

/** Stores when a collection is synced again, how often it failed in a row, and why. */
export async function deferSync(
	tx: Tx,
	sync: { collectionId: number; nextAt: Date; failures: number; failedCode: string | null },
): Promise<void> {
	await tx.execute(
		`update market_index.sync set next_at = $2, failures = $3, failed_code = $4
		where collection_id = $1`,
		[sync.collectionId, sync.nextAt, sync.failures, sync.failedCode],
	);
}

/**
 * Marks collections as queued, unless they were within `everyMs`; returns those that are. The
 * second statement decides, on rows as the last one left them: so it holds across processes that
 * ask in the same millisecond. `watchMs` also takes the watch lease.
 */
export async function putInLine(
	tx: Tx,
	asked: {
		collectionIds: readonly number[];
		nowMs: number;
		everyMs: number;
		watchMs: number | null;
	},
): Promise<number[]> {
	const { collectionIds, nowMs, everyMs, watchMs } = asked;
	await tx.execute(
		`insert into market_index.sync as s (collection_id, chain_id, watched_until)
		select id, chain_id, $2::timestamptz from market_index.collection
		where id = any($1::int4[]) and not excluded order by id
		on conflict (collection_id) do update set
			watched_until = greatest(s.watched_until, excluded.watched_until)
		where excluded.watched_until is not null`,
		[collectionIds, watchMs === null ? null : new Date(nowMs + watchMs)],
	);
	const rows = await tx.query<{ id: number }>(
		`update market_index.sync set enqueued_at = $2, next_at = $4
		where collection_id in (
			select s.collection_id from market_index.sync as s
			join market_index.collection as c on c.id = s.collection_id and not c.excluded
			where s.collection_id = any($1::int4[])
				and (s.enqueued_at is null or s.enqueued_at <= $3)
			order by s.collection_id for update of s
		)
		returning collection_id as id`,
		[collectionIds, new Date(nowMs), new Date(nowMs - everyMs), new Date(nowMs + IN_LINE_MS)],
	);
	return rows.map(({ id }) => id).sort((a, b) => a - b);
}

/**
 * Clears the finished parts of first syncs that only wait for their first day of events: that day
 * takes long in a busy list, and the parts are old by then. A sync under way keeps its parts.
 */
export async function renewParts(tx: Tx, collectionIds: readonly number[]): Promise<void> {
	await tx.execute(
		`update market_index.sync as s set parts = null
		from market_index.collection as c
		where c.id = s.collection_id and s.collection_id = any($1::int4[])
			and s.synced_at is null and s.started_at is null and s.parts is not null
			and c.sync_status = 'syncing'`,
		[collectionIds],
	);
}

/**
 * Records that pushes of these collections may have been missed since then: the next lean sync
 * begins with them and reads from there on, and their books are read as soon as they are looked at.
 * A minute is added: the time when a frame was sent is by another clock than its event's.
 *
 * Rows are locked in order of id, as everywhere that several are locked: two streams may break at
 * once. A collection that was never read gets a whole day anyway.
 */
export async function noteGap(
	db: Queryable,
	gap: { slugs: readonly string[]; sinceMs: number },
): Promise<void> {
	await db.execute(
		`update market_index.sync set lean_at = null,
			events_until = case when events_until is not null then least(events_until, $2) end,
			orders_due_at = least(orders_due_at, $2)
		where collection_id in (
			select collection_id from market_index.sync where provider_slug = any($1::text[])
			order by collection_id for update
		)`,
		[gap.slugs, new Date(gap.sinceMs - GAP_MARGIN_MS)],
	);
}

/**
 * Returns the provider's slugs of collections worth following: those looked at, then the most
 * active.
 */
export async function followedSlugs(
	db: Queryable,
	follow: { chainIds: readonly number[]; nowMs: number; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ slug: string }>(
		`select s.provider_slug as slug from market_index.sync as s
		join market_index.collection as c on c.id = s.collection_id and not c.excluded
		where s.provider_slug is not null and s.chain_id = any($1::int8[])
		order by coalesce(greatest(s.watched_until, s.followed_until) > $2, false) desc,
			greatest(c.last_sale_at, c.last_mint_at) desc nulls last, s.collection_id desc
		limit $3`,
		[follow.chainIds, new Date(follow.nowMs), follow.limit],
	);
	return [...new Set(rows.map(({ slug }) => slug))];
}

/** Returns a record of the provider's as `jsonb` accepts it; null where it cannot be stored. */
export function jsonOf(raw: Readonly<Record<string, unknown>>): string | null {
	const payload = storablePayload(raw);
	return payload && JSON.stringify(payload);
}
