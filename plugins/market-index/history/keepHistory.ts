// Keeps how many tokens of each collection are listed and how many accounts hold it, in time.

import { createBinder, type Database } from "#core/db/Database.ts";
import type { Job } from "#core/schedule.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { readSpansOf } from "#plugins/market-index/figures/coverage.ts";
import type { IndexReads } from "#plugins/market-index/read/context.ts";
import { bucketOf } from "#plugins/market-index/rollup/windows.ts";
import { collectionRows } from "#plugins/market-index/sql/collectionRows.ts";

type HistoryDeps = Pick<IndexReads, "db" | "clock" | "indexed"> & {
	scanner: Pick<Scanner, "progress">;
};

/** A table of points in time, with what tells its rows apart besides their time. */
type Thinned = { table: string; key: string; allKeptMs: number };

/** Numbers the figures that `figure_history` keeps, and their sources. */
export const HISTORY_METRIC = { listed: 1, holders: 2 } as const;
export const HISTORY_SOURCE = { provider: 1, walk: 2, chain: 3 } as const;

/** How often a changed figure is kept, and how often an equal one that was told anew. */
export const HISTORY_STEP_MS = 5 * MINUTE_MS;
const HISTORY_SAME_MS = HOUR_MS;

/** All points stay for a day, then the last of each hour, after 90 days the last of each day. */
const ALL_KEPT_MS = DAY_MS;
/** Floors are read from `floor_snapshot` minute by minute, so those of two days stay. */
const FLOORS_KEPT_MS = 2 * DAY_MS;
const HOURS_KEPT_MS = 90 * DAY_MS;

const THIN_EVERY_MS = 6 * HOUR_MS;
const RUN_TIMEOUT_MS = 4 * MINUTE_MS;
const THIN_TIMEOUT_MS = HOUR_MS;

/** Collections that one statement goes through: each has at most some thousand points. */
const KEPT_PER_STATEMENT = 5_000;
const THINNED_PER_STATEMENT = 200;

const FLOORS: Thinned = {
	table: "floor_snapshot",
	key: "collection_id",
	allKeptMs: FLOORS_KEPT_MS,
};
const POINTS: Thinned = {
	table: "figure_history",
	key: "collection_id, metric",
	allKeptMs: ALL_KEPT_MS,
};

/** Makes the jobs that keep points and thin out old ones. */
export function historyJobs(deps: HistoryDeps): Job[] {
	const { db } = deps;
	return [
		{
			name: "market-index.keep-history",
			schedule: { everyMs: HISTORY_STEP_MS },
			lock: "cluster",
			timeoutMs: RUN_TIMEOUT_MS,
			run: ({ signal }) => keepHistory(deps, signal),
		},
		{
			name: "market-index.thin-history",
			schedule: { everyMs: THIN_EVERY_MS },
			lock: "cluster",
			timeoutMs: THIN_TIMEOUT_MS,
			async run({ signal }) {
				await throughCollections(db, { each: THINNED_PER_STATEMENT, signal }, async (ids) => {
					await thinOut(db, { ...FLOORS, ...ids });
					await thinOut(db, { ...POINTS, ...ids });
				});
			},
		},
	];
}

/** Keeps a point of each figure that changed, or that was told again an hour after the last one. */
async function keepHistory(
	{ db, clock, indexed, scanner }: HistoryDeps,
	signal: AbortSignal,
): Promise<void> {
	const nowMs = clock.nowMs();
	// Read before the counts, so that a walk's point never claims to be newer than it is.
	const spansOf = await readSpansOf(
		scanner,
		indexed.map(({ chain }) => chain),
	);
	const walked = [...spansOf].flatMap(([chainId, { movesUntilMs, movesOwed }]) =>
		movesUntilMs === null || movesOwed ? [] : [{ chainId, at: new Date(movesUntilMs) }],
	);
	await throughCollections(db, { each: KEPT_PER_STATEMENT, signal }, (ids) =>
		keepPoints(db, { ...ids, nowMs, walked }),
	);
}

/** Runs a statement for one stretch of ids after the other, until there is no collection above. */
async function throughCollections(
	db: Database,
	{ each, signal }: { each: number; signal: AbortSignal },
	run: (ids: { after: number; until: number }) => Promise<unknown>,
): Promise<void> {
	const [last] = await db.query<{ id: number }>(
		"select coalesce(max(id), 0) as id from market_index.collection",
	);
	for (let after = 0; after < (last?.id ?? 0) && !signal.aborted; after += each) {
		await run({ after, until: after + each });
	}
}

/**
 * Stores the points of some collections. What is listed and held is read as lists and details read
 * it (`collectionRows`); nobody's zero owners are no count.
 */
function keepPoints(
	db: Database,
	given: {
		after: number;
		until: number;
		nowMs: number;
		walked: readonly { chainId: number; at: Date }[];
	},
): Promise<number> {
	const { nowMs, walked } = given;
	const binder = createBinder();
	const after = binder.bind(given.after, "int4");
	const until = binder.bind(given.until, "int4");
	const rows = collectionRows(binder, {
		picked: `with picked as (
			select id from market_index.collection
			where id > ${after} and id <= ${until} and not excluded
		)`,
		nowMs,
		orderBy: "c.id",
		columns: [
			"id",
			"chainId",
			"listedCount",
			"listedAt",
			"ownersCount",
			"ownersSource",
			"ownersAt",
		],
	});
	const chains = binder.bind(
		walked.map(({ chainId }) => chainId),
		"int8[]",
	);
	const walkedAt = binder.bind(
		walked.map(({ at }) => at),
		"timestamptz[]",
	);
	const at = binder.bind(new Date(bucketOf(nowMs, HISTORY_STEP_MS)), "timestamptz");
	const { listed, holders } = HISTORY_METRIC;
	const { provider, walk, chain } = HISTORY_SOURCE;
	return db.execute(
		`insert into market_index.figure_history (collection_id, metric, at, value, source, as_of)
		select c.id, now.metric, ${at}, now.value, case when now.value is not null then now.source end,
			case when now.value is not null then now.as_of end
		from (${rows}) as c
		left join unnest(${chains}, ${walkedAt}) as walked (chain_id, at)
			on walked.chain_id = c."chainId"
		cross join lateral (values
			(${listed}::int2, c."listedCount"::int8, ${provider}::int2, c."listedAt"),
			(${holders}::int2,
				case when c."ownersSource" = 'walk' or c."ownersCount" > 0 then c."ownersCount"::int8 end,
				case c."ownersSource" when 'walk' then ${walk}::int2 when 'provider' then ${provider}::int2
					else ${chain}::int2 end,
				case when c."ownersSource" = 'walk' then walked.at else c."ownersAt" end)
		) as now (metric, value, source, as_of)
		left join lateral (
			select kept.at, kept.value, kept.source, kept.as_of
			from market_index.figure_history as kept
			where kept.collection_id = c.id and kept.metric = now.metric order by kept.at desc limit 1
		) as last on true
		where case
			when last.at is null then now.value is not null
			when now.value is distinct from last.value then true
			when now.value is null then false
			else now.source is distinct from last.source
				or (now.as_of > coalesce(last.as_of, '-infinity')
					and last.at <= ${at} - ${HISTORY_SAME_MS} * interval '1 millisecond') end
		on conflict do nothing`,
		binder.values,
	);
}

/**
 * Deletes all but the last point of each hour beyond a day or two, and of each day beyond 90 days,
 * of some collections; by the primary key. By the database's time: a process whose clock is wrong
 * deletes nothing too early.
 */
function thinOut(
	db: Database,
	{ table, key, after, until, allKeptMs }: Thinned & { after: number; until: number },
): Promise<number> {
	const epoch = "timestamptz '1970-01-01 00:00:00+00'";
	const ago = (ms: string) => `now() - ${ms} * interval '1 millisecond'`;
	const bucket = (at: string) => `date_bin(case when at < daily then interval '1 day'
				else interval '1 hour' end, ${at}, ${epoch})`;
	return db.execute(
		`delete from market_index.${table} where (${key}, at) in (
			select ${key}, at from (
				select ${key}, at, daily, lead(at) over (partition by ${key} order by at) as later
				from market_index.${table}, (
					select date_bin(interval '1 hour', ${ago("$3")}, ${epoch}) as hourly,
						date_bin(interval '1 day', ${ago("$4")}, ${epoch}) as daily
				) as past
				where collection_id > $1 and collection_id <= $2 and at < hourly
			) as past
			where ${bucket("later")} = ${bucket("at")}
		)`,
		[after, until, allKeptMs, HOURS_KEPT_MS],
	);
}
