// Reads and writes our own record of what stock tokens cost by their feeds.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

/** What one whole token cost at a time, in microdollars. */
export type StockPrice = { token: Address; at: Date; micros: bigint };

/** Holds what the record says of a token between two times; a price before them is `before`. */
export type StockSpan = {
	token: Address;
	/** The last price at or before the beginning, at most `HELD_MS` old; null: none is kept. */
	before: { at: Date; micros: bigint } | null;
	/** The first and the last in that time; null: none is kept. */
	first: { at: Date; micros: bigint } | null;
	last: { at: Date; micros: bigint } | null;
	least: bigint | null;
	greatest: bigint | null;
};

type SpanRow = {
	token: Address;
	beforeAt: Date | null;
	before: string | null;
	firstAt: Date | null;
	first: string | null;
	lastAt: Date | null;
	last: string | null;
	least: string | null;
	greatest: string | null;
};

/** Limits the age of a price that stands for a moment: over Easter the market rests for days. */
const HELD_MS = 5 * 86_400_000;

/** All prices are kept for so long; then the last of each day. */
const ALL_KEPT_DAYS = 30;
const DAYS_KEPT = 730;

/** Records prices; one that is recorded for the same time stays. */
export async function addStockPrices(db: Queryable, prices: readonly StockPrice[]): Promise<void> {
	if (prices.length === 0) return;
	await db.execute(
		`insert into trading.stock_price (token, at, micros)
		select token, at, micros from unnest($1::bytea[], $2::timestamptz[], $3::text[]::numeric[])
			as given (token, at, micros)
		order by token, at on conflict do nothing`,
		[
			prices.map(({ token }) => bytesOf(token)),
			prices.map(({ at }) => at),
			prices.map(({ micros }) => String(micros)),
		],
	);
}

/**
 * Deletes what is older than two years, beyond 30 days all but the last of each day (UTC), and what
 * a wrong clock dated ahead; by the database's time. By `stock_price_at` and the primary key.
 */
export async function dropStockPrices(db: Queryable): Promise<void> {
	await db.execute(
		`delete from trading.stock_price as kept
		where at < now() - $2 * interval '1 day' or at > now() + interval '1 day'
			or (at < now() - $1 * interval '1 day' and exists (
				select from trading.stock_price as later
				where later.token = kept.token and later.at > kept.at
					and later.at < (date_trunc('day', kept.at at time zone 'utc') + interval '1 day')
						at time zone 'utc'
			))`,
		[ALL_KEPT_DAYS, DAYS_KEPT],
	);
}

/** Returns what the record says of tokens between two times. By the primary key. */
export async function readStockSpans(
	db: Queryable,
	{ tokens, from, until }: { tokens: readonly Address[]; from: Date; until: Date },
): Promise<StockSpan[]> {
	if (tokens.length === 0) return [];
	const rows = await db.query<SpanRow>(
		`select '0x' || encode(asked.token, 'hex') as token,
			held.at as "beforeAt", held.micros as before,
			span."firstAt", span.first, span."lastAt", span.last, span.least, span.greatest
		from unnest($1::bytea[]) as asked (token)
		left join lateral (
			select at, micros from trading.stock_price
			where token = asked.token and at <= $2 and at > $2 - $4 * interval '1 millisecond'
			order by at desc limit 1
		) as held on true
		left join lateral (
			select min(at) as "firstAt", (array_agg(micros order by at))[1] as first,
				max(at) as "lastAt", (array_agg(micros order by at desc))[1] as last,
				min(micros) as least, max(micros) as greatest
			from trading.stock_price where token = asked.token and at >= $2 and at <= $3
		) as span on true`,
		[tokens.map((token) => bytesOf(token)), from, until, HELD_MS],
	);
	return rows.map((row) => ({
		token: row.token,
		before: priceOf(row.beforeAt, row.before),
		first: priceOf(row.firstAt, row.first),
		last: priceOf(row.lastAt, row.last),
		least: row.least === null ? null : BigInt(row.least),
		greatest: row.greatest === null ? null : BigInt(row.greatest),
	}));
}

/** Returns since when prices of a token are kept; null: none is. By the primary key. */
export async function readStockKeptFrom(db: Queryable, token: Address): Promise<Date | null> {
	const rows = await db.query<{ at: Date | null }>(
		"select min(at) as at from trading.stock_price where token = $1",
		[bytesOf(token)],
	);
	return rows[0]?.at ?? null;
}

function priceOf(at: Date | null, micros: string | null): { at: Date; micros: bigint } | null {
	return at === null || micros === null ? null : { at, micros: BigInt(micros) };
}
