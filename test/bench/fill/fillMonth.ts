// Fills one month of events, with its rollups, by SQL alone.

import type { Client } from "pg";
import { DAY_MS } from "#core/time.ts";

/** Events from `firstIndex` on, one each `stepMs`. */
type Stretch = { fromMs: number; stepMs: number; firstIndex: number; count: number };

/** The size of an index, and its distribution in time. */
export type FillOptions = {
	/** All events; `recentEvents` of these in the last 24 hours, the rest evenly before. */
	events: number;
	recentEvents: number;
	collections: number;
	/** The first collections, for which provider and tokens have told everything. */
	marketed: number;
	days: number;
	nowMs: number;
	/** Collections are dealt to these in turn, four of five to the first. */
	chainIds: readonly [number, number];
};

/** One partition's span of time, `[fromMs, toMs)`. */
export type Month = { name: string; fromMs: number; toMs: number };

const COLUMNS = `collection_id, bucket, chain_id, sales, priced, units, mints, volume, open, high,
	low, close, open_position, close_position`;

const BLOCK_SECONDS = 12;

/** An account with one of each hundred events, whether it gave the token or got it. */
export const BUSY_ACCOUNT = `0x${"ab".repeat(20)}` as const;
const BUSY = `'\\x${BUSY_ACCOUNT.slice(2)}'::bytea`;

/** Fills a month of events, made by the server itself, with its rollups. */
export async function fillMonth(client: Client, month: Month, options: FillOptions): Promise<void> {
	const table = `market_index.event_${month.name}`;
	await client.query("begin");
	// Made in this transaction, so that (`wal_level = minimal`) the log contains none of it.
	await client.query(`create table ${table} (like market_index.event including defaults)`);
	const [from, to] = [isoOf(month.fromMs), isoOf(month.toMs)];
	// Checked row by row as they are made, so that attaching need not read them all again.
	await client.query(
		`alter table ${table} add constraint of_month
		check (occurred_at >= '${from}' and occurred_at < '${to}')`,
	);
	for (const stretch of stretchesOf(options)) {
		const first = indexAt(stretch, month.fromMs);
		const last = indexAt(stretch, month.toMs) - 1;
		if (last < first) continue;
		await client.query(eventsStatement(table, { stretch, month, options }), [first, last]);
	}
	for (const statement of rollupStatements(month, table)) await client.query(statement);
	await client.query(
		`alter table ${table} add unique (chain_id, block_number, log_index, sub_index, occurred_at)`,
	);
	await client.query(`create index on ${table} (collection_id, kind, occurred_at)`);
	const byTaker = "(hashbytea(to_address), kind, occurred_at)";
	await client.query(`create index on ${table} ${byTaker.replace("to_", "from_")} where kind <> 2`);
	await client.query(`create index on ${table} ${byTaker}`);
	await client.query(
		`alter table market_index.event attach partition ${table}
		for values from ('${from}') to ('${to}')`,
	);
	await client.query(`alter table ${table} drop constraint of_month`);
	await client.query("commit");
}

/**
 * Returns statements that fill the three tiers of rollups with a month, each from the one below it:
 * the sums are the same either way, and no bucket spans two months. In the order of time, as lanes
 * write them: neighbours in time are then neighbours on disk.
 */
function rollupStatements(month: Pick<Month, "fromMs" | "toMs">, events: string): string[] {
	const from = new Date(month.fromMs).toISOString();
	const to = new Date(month.toMs).toISOString();
	const within = `where bucket >= '${from}' and bucket < '${to}'`;
	const hours = coarser(`market_index.rollup_minute ${within}`, "1 hour");
	const days = coarser(`market_index.rollup_hour ${within}`, "1 day");
	return [
		`insert into market_index.rollup_minute (${COLUMNS}) ${minutesOf(events)}`,
		`insert into market_index.rollup_hour (${COLUMNS}) ${hours}`,
		`insert into market_index.rollup_day (${COLUMNS}) ${days}`,
	];
}

/**
 * Returns the price of the event with a log index, as SQL: 0.001 to 5 ETH. It depends on nothing
 * else, so that a rollup finds the prices of its first and last sale from their positions, without
 * sorting.
 */
export function priceOf(logIndex: string): string {
	return `1000000000000000 * (1 + (hashint8extended(${logIndex}, 4) & 1073741823) % 5000)`;
}

/** Returns the log index in a position (see `positionOf`), as SQL. */
function logOfPosition(position: string): string {
	return `((${position} >> 10) & 1048575)`;
}

function isoOf(atMs: number): string {
	return new Date(atMs).toISOString();
}

function stretchesOf(options: FillOptions): Stretch[] {
	const { events, recentEvents, days, nowMs } = options;
	const older = events - recentEvents;
	const fromMs = nowMs - days * DAY_MS;
	const recentMs = nowMs - DAY_MS;
	return [
		{ fromMs, stepMs: (recentMs - fromMs) / older, firstIndex: 0, count: older },
		{ fromMs: recentMs, stepMs: DAY_MS / recentEvents, firstIndex: older, count: recentEvents },
	];
}

/** Returns the first event of a stretch that is not before a time. */
function indexAt({ fromMs, stepMs, firstIndex, count }: Stretch, atMs: number): number {
	const index = Math.ceil((atMs - fromMs) / stepMs);
	return firstIndex + Math.min(Math.max(index, 0), count);
}

/**
 * Returns the statement that makes events. The collection of event `i` is `floor(exp(u · ln(n +
 * 1)))`, by which the one of rank r gets about 1/r of what the first gets; prices depend on the log
 * index only, so that a rollup finds those of its first and last sale without sorting.
 */
function eventsStatement(
	table: string,
	{ stretch, month, options }: { stretch: Stretch; month: Month; options: FillOptions },
): string {
	const { collections, chainIds } = options;
	const blockOf = (ms: number) => ms / 1_000 / BLOCK_SECONDS;
	const secondsSql = `${stretch.fromMs / 1_000} + (i - ${stretch.firstIndex})
		* ${stretch.stepMs / 1_000}::float8`;
	return `insert into ${table} (
			occurred_at, block_number, chain_id, collection_id, log_index, sub_index, kind, accepted,
			onchain_verified, block_hash, transaction_hash, from_address, to_address, token_id,
			quantity, currency, total_raw, total_native, venue, reason
		)
		select to_timestamp(block * ${BLOCK_SECONDS}), block,
			case when collection % 5 = 0 then ${chainIds[1]} else ${chainIds[0]} end,
			collection, log, 0, case when is_mint then 2 else 1 end, is_mint or dice % 33 > 0, true,
			int8send(block) || zero24, int8send(block) || int8send(log) || zero16,
			case when dice % 100 = 3 then ${BUSY} else int8send(dice % 50000) || zero12 end,
			case when dice % 200 = 4 then ${BUSY} else int8send(dice % 70000) || zero12 end,
			log % 10000, 1,
			case when not is_mint and dice % 25 = 1 then '\\xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0'
				else '\\x0000000000000000000000000000000000000000' end::bytea,
			price, case when is_mint or dice % 25 <> 1 then price end,
			case when not is_mint then 'seaport' end,
			case when not is_mint and dice % 33 = 0 then 'self_trade' end
		from (
			select i % 1048576 as log, (${priceOf("i % 1048576")})::int8 as price,
				greatest(${blockOf(month.fromMs)}, least(${blockOf(month.toMs) - 1},
					floor((${secondsSql}) / ${BLOCK_SECONDS})))::int8 as block,
				least(floor(exp(ln(${collections} + 1)
					* ((hashint8extended(i, 1) & 1073741823) / 1073741824.0::float8))), ${collections})::int4
					as collection,
				hashint8extended(i, 2) & 1073741823 as dice,
				(hashint8extended(i, 3) & 1023) < 300 as is_mint
			from generate_series($1::int8, $2::int8) as i
		) as made, (
			select '\\x000000000000000000000000'::bytea as zero12,
				'\\x00000000000000000000000000000000'::bytea as zero16,
				'\\x000000000000000000000000000000000000000000000000'::bytea as zero24
		) as zeros`;
}

function coarser(from: string, bucket: string): string {
	return `select collection_id, bucket, chain_id, sales, priced, units, mints, volume,
			${priceAt("first")}, high, low, ${priceAt("last")}, first, last
		from (
			select collection_id, date_bin('${bucket}', bucket, '2000-01-01Z') as bucket,
				min(chain_id) as chain_id, sum(sales) as sales, sum(priced) as priced,
				sum(units) as units, sum(mints) as mints, sum(volume) as volume, max(high) as high,
				min(low) as low, min(open_position) as first, max(close_position) as last
			from ${from} group by 1, 2
		) as summed order by bucket`;
}

function priceAt(position: string): string {
	return `case when priced > 0 then ${priceOf(logOfPosition(position))} end`;
}

/** Returns the minutes of events. Prices fit an int8, which is summed several times faster. */
function minutesOf(events: string): string {
	return `select collection_id, bucket, chain_id, sales, priced, priced, mints,
			coalesce(volume, 0), ${priceAt("first")}, high, low, ${priceAt("last")}, first, last
		from (
			select collection_id, date_bin('1 minute', occurred_at, '2000-01-01Z') as bucket,
				min(chain_id) as chain_id, count(*) filter (where kind = 1) as sales,
				count(price) filter (where kind = 1) as priced,
				count(*) filter (where kind = 2) as mints,
				sum(price) filter (where kind = 1) as volume,
				max(price) filter (where kind = 1) as high,
				min(price) filter (where kind = 1) as low,
				min(position) filter (where kind = 1 and price is not null) as first,
				max(position) filter (where kind = 1 and price is not null) as last
			from (
				select collection_id, occurred_at, chain_id, kind, total_native::int8 as price,
					(block_number << 30) | (log_index::int8 << 10) as position
				from ${events} where accepted
			) as accepted
			group by 1, 2
		) as summed order by bucket`;
}
