// Deletes owners no longer kept, and counts recipients by the clock.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import type { Job } from "#core/schedule.ts";
import { EVENT_KIND } from "#plugins/market-index/event/MarketEvent.ts";

type Holder = { owner: Address; units: bigint };

/** Contracts that are added to the watched ones in one transaction. */
export const WATCHED_PER_TURN_MAX = 100;

/** Limits counting recipients again: how often, for how many collections, and for how long. */
const RECIPIENTS_EVERY_MS = 10_000;
const RECIPIENTS_COLLECTIONS_MAX = 100;
const RECIPIENTS_BUSY_MS = 250;

/** The days without a mint or a sale after which a collection gives its place to an active one. */
export const SILENT_DAYS = 7;
export const REPLACE_EVERY_MS = 60_000;

/**
 * Limits deleting owners that are not needed any more: how often, for how long, and rows at a time.
 */
const GARBAGE_EVERY_MS = 5_000;
const GARBAGE_BUSY_MS = 250;
const GARBAGE_ROWS_MAX = 1_000;

const TABLES = ["owned_span", "owned_units", "holder"];

/**
 * Makes a job that deletes owners which are not kept any more: in small parts, for a fraction of
 * the time.
 */
export function garbageJob({ db, clock }: { db: Database; clock: Clock }): Job {
	return {
		name: "market-index.owner-garbage",
		schedule: { everyMs: GARBAGE_EVERY_MS },
		lock: "cluster",
		timeoutMs: GARBAGE_EVERY_MS,
		async run({ signal }) {
			const endsAtMs = clock.nowMs() + GARBAGE_BUSY_MS;
			while (!signal.aborted && clock.nowMs() <= endsAtMs) {
				if (!(await clearGarbage(db, GARBAGE_ROWS_MAX))) return;
			}
		},
	};
}

/** Deletes some rows of a set that is not read any more; false once none is left. */
async function clearGarbage(db: Queryable, rowsMax: number): Promise<boolean> {
	const [garbage] = await db.query<{ id: number }>(
		"select set_id as id from market_index.owner_garbage limit 1",
	);
	if (!garbage) return false;
	for (const table of TABLES) {
		const cleared = await db.execute(
			`delete from market_index.${table} where ctid = any(array(
				select ctid from market_index.${table} where set_id = $1 limit $2
			))`,
			[garbage.id, rowsMax],
		);
		if (cleared > 0) return true;
	}
	await db.execute("delete from market_index.owner_garbage where set_id = $1", [garbage.id]);
	return true;
}

/**
 * Returns a page of a collection's holders, the largest first, after the last one of the page
 * before; null while the collection is not walked, when its holders are unknown, and for a walk
 * without a mint, whose contract emits no usable logs. By the index `holder_largest`.
 */
export async function readHolders(
	db: Queryable,
	page: { collectionId: number; limit: number; after: Holder | null },
): Promise<Holder[] | null> {
	const { collectionId, limit, after } = page;
	const [walked] = await db.query<{ setId: number }>(
		`select set_id as "setId" from market_index.ownership
		where collection_id = $1 and next_block > end_block and minted > 0`,
		[collectionId],
	);
	if (!walked) return null;
	const rows = await db.query<{ owner: Address; units: string }>(
		`select '0x' || encode(owner, 'hex') as owner, units from market_index.holder
		where set_id = $1
			and ($3::numeric is null or units < $3 or (units = $3 and owner > $4::bytea))
		order by units desc, owner limit $2`,
		[walked.setId, limit, after?.units ?? null, after ? bytesOf(after.owner) : null],
	);
	return rows.map(({ owner, units }) => ({ owner, units: BigInt(units) }));
}

/**
 * Makes a job that counts recipients where no better source knows the owners, the most active
 * collections first. Apart from the lanes and for a fraction of the time, so that no new data waits
 * for it.
 */
export function recipientsJob({ db, clock }: { db: Database; clock: Clock }): Job {
	return {
		name: "market-index.recipients",
		schedule: { everyMs: RECIPIENTS_EVERY_MS },
		lock: "cluster",
		timeoutMs: RECIPIENTS_EVERY_MS,
		async run({ signal }) {
			const endsAtMs = clock.nowMs() + RECIPIENTS_BUSY_MS;
			for (const id of await staleRecipients(db, RECIPIENTS_COLLECTIONS_MAX)) {
				if (signal.aborted || clock.nowMs() > endsAtMs) return;
				await countRecipients(db, id);
			}
		},
	};
}

/**
 * Counts the accounts that received a collection's units by accepted mints and sales. By the index
 * `event_by_collection`.
 */
async function countRecipients(db: Queryable, collectionId: number): Promise<void> {
	await db.execute(
		`insert into market_index.recipients as kept (collection_id, recipients, counted)
		select c.id, (
			select count(distinct e.to_address) from market_index.event as e
			where e.collection_id = c.id and e.kind in (${EVENT_KIND.sale}, ${EVENT_KIND.mint})
				and e.accepted
		), ${countedSql()}
		from market_index.collection as c where c.id = $1
		on conflict (collection_id) do update set
			recipients = excluded.recipients, counted = excluded.counted, counted_at = now()`,
		[collectionId],
	);
}

/**
 * Returns collections whose recipients must be counted again: no better source knows their owners,
 * and they have other events than were counted. A collection with many events waits longer, a
 * second for each thousand, so that counting takes a thousandth of the time at most.
 */
async function staleRecipients(db: Queryable, limit: number): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select c.id from market_index.collection as c
		left join market_index.recipients as r on r.collection_id = c.id
		left join market_index.ownership as o
			on o.collection_id = c.id and o.next_block > o.end_block and o.minted > 0
		where not c.excluded and c.provider_owners is null and o.collection_id is null
			and c.mints + c.sales > 0 and r.counted is distinct from ${countedSql()}
			and (r.counted_at is null or r.counted_at <= clock_timestamp()
				- greatest(10, (c.mints + c.sales) / 1000) * interval '1 second')
		order by greatest(c.last_sale_at, c.last_mint_at) desc nulls last
		limit $1`,
		[limit],
	);
	return rows.map(({ id }) => id);
}

/**
 * Returns an expression for the state of the events of the collection `c` that a count of
 * recipients is based on.
 */
function countedSql(): string {
	return `concat_ws(' ', c.mints, c.sales, coalesce(c.last_mint_position, -1),
		coalesce(c.last_sale_position, -1))`;
}
