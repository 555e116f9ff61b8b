// Reads the events of a whole chain, newest first, in bounded scans.

import { createBinder, type Queryable } from "#core/db/Database.ts";
import { MINUTE_MS } from "#core/time.ts";
import { EVENT_KIND, type StoredEvent } from "#plugins/market-index/event/MarketEvent.ts";
import { EVENT_COLUMNS, type EventColumns, eventOf } from "#plugins/market-index/sql/events.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/model.ts";

/** The place of an event in its chain. */
export type ChainPlace = { blockNumber: number; logIndex: number; subIndex: number };

/** An event with its collection and its token's present metadata. */
export type ChainEventRow = {
	event: StoredEvent;
	collection: { slug: string; name: string | null; imageUrl: string | null };
	token: { imageUrl: string | null; traits: TokenTrait[] | null };
};

export type ChainEventsQuery = {
	chainId: number;
	kinds: readonly StoredEvent["kind"][];
	since: Date | null;
	until: Date | null;
	after: ChainPlace | null;
	limit: number;
	/** Events that each statement looks at, one after the other. */
	steps: readonly number[];
};

export type ChainEvents = {
	rows: ChainEventRow[];
	/** Where the scan stopped because it had looked at enough; null where nothing was left out. */
	reached: (ChainPlace & { occurredAtMs: number }) | null;
};

type Reached = {
	scanned: number;
	lastAt: Date | null;
	lastBlock: number | null;
	lastLog: number | null;
	lastSub: number | null;
};

type StepColumns = EventColumns & {
	slug: string;
	collectionName: string | null;
	collectionImageUrl: string | null;
	tokenImageUrl: string | null;
	tokenTraits: TokenTrait[] | null;
};

type StepRow = Reached & (StepColumns | { kind: null });

/**
 * How far the time of an event that only the provider told may be off its place: its block is
 * estimated from its neighbours.
 */
const PLACE_SLACK_MS = 10 * MINUTE_MS;

/**
 * Returns a chain's events, newest first: by place in the chain, which is the order of time, with
 * those that only the provider told at their estimated place. Events of excluded collections are
 * left out.
 *
 * Follows the unique index (chain, block, …), as there is none by chain and time: it would slow
 * every insert. A time is entered at the block that a search by halves finds for its end.
 */
export async function readChainEvents(
	db: Queryable,
	query: ChainEventsQuery,
): Promise<ChainEvents> {
	const { until, since } = query;
	const start = until && !query.after ? await blockBefore(db, query.chainId, until) : null;
	const rows: ChainEventRow[] = [];
	let after = query.after;
	let reached: ChainEvents["reached"] = null;
	for (const step of query.steps) {
		const asked = { ...query, after, start, limit: query.limit - rows.length };
		const { text, values } = chainStatement(asked, step);
		const found = await db.query<StepRow>(text, values);
		for (const row of found) if (row.kind !== null) rows.push(rowOf(row));
		reached = reachedOf(found[0]);
		const isPast = since && reached && reached.occurredAtMs < since.getTime() - PLACE_SLACK_MS;
		if (rows.length >= query.limit || (found[0]?.scanned ?? 0) < step || isPast) {
			return { rows, reached: null };
		}
		after = reached;
	}
	return { rows, reached };
}

/**
 * Returns the highest block at which a chain's events are not later than a time, by halves: some
 * thirty reads of the unique index in one statement. Null where there are no events.
 */
export async function blockBefore(
	db: Queryable,
	chainId: number,
	time: Date,
): Promise<number | null> {
	const end = (order: "asc" | "desc") => `(
			select block_number from market_index.event where chain_id = $1
			order by block_number ${order}, log_index ${order}, sub_index ${order} limit 1
		)`;
	const rows = await db.query<{ block: number }>(
		`with recursive search (low, high) as (
			select ${end("asc")}, ${end("desc")}
			union all
			select case when probe.at <= $2 then half.block else low end,
				case when probe.at <= $2 then high else half.block - 1 end
			from search
			cross join lateral (select low + (high - low + 1) / 2 as block) as half
			cross join lateral (
				select occurred_at as at from market_index.event
				where chain_id = $1 and block_number <= half.block
				order by block_number desc, log_index desc, sub_index desc limit 1
			) as probe
			where low < high
		)
		select low as block from search where low >= high limit 1`,
		[chainId, new Date(time.getTime() + PLACE_SLACK_MS)],
	);
	return rows[0]?.block ?? null;
}

/**
 * Returns the statement of one step, apart from its caller so that a test can check its plan. It
 * has at least one row, which says how far it looked.
 */
export function chainStatement(query: ChainEventsQuery & { start: number | null }, step: number) {
	const { since, until, after, start } = query;
	const binder = createBinder();
	const conditions = [`chain_id = ${binder.bind(query.chainId, "int8")}`];
	if (start !== null) conditions.push(`block_number <= ${binder.bind(start, "int8")}`);
	if (after) {
		const log = binder.bind(after.logIndex, "int4");
		const place = `${log}, ${binder.bind(after.subIndex, "int4")}`;
		const block = binder.bind(after.blockNumber, "int8");
		conditions.push(`(block_number, log_index, sub_index) < (${block}, ${place})`);
	}
	if (until) conditions.push(`occurred_at < ${binder.bind(until, "timestamptz")}`);
	const filters = [
		`e.kind = any(${binder.bind(
			query.kinds.map((kind) => EVENT_KIND[kind]),
			"int2[]",
		)})`,
		"not c.excluded",
	];
	if (since) {
		// Whole months alone are passed over: within one, the scan ends by itself.
		conditions.push(`occurred_at >= ${binder.bind(monthOf(since), "timestamptz")}`);
		filters.push(`e.occurred_at >= ${binder.bind(since, "timestamptz")}`);
	}
	const newest = (name: string) =>
		`${name}.block_number desc, ${name}.log_index desc, ${name}.sub_index desc`;
	const text = `with scanned as materialized (
			select * from market_index.event as e where ${conditions.join(" and ")}
			order by ${newest("e")} limit ${binder.bind(step, "int8")}
		)
		select counted.scanned, last.occurred_at as "lastAt", last.block_number as "lastBlock",
			last.log_index as "lastLog", last.sub_index as "lastSub", page.*
		from (select count(*)::int4 as scanned from scanned) as counted
		left join lateral (
			select * from scanned order by block_number, log_index, sub_index limit 1
		) as last on true
		left join lateral (
			select ${EVENT_COLUMNS}, c.slug, c.name as "collectionName",
				c.image_url as "collectionImageUrl", t.image_url as "tokenImageUrl",
				t.traits as "tokenTraits"
			from (
				select e.* from scanned as e
				join market_index.collection as c on c.id = e.collection_id
				where ${filters.join(" and ")}
				order by ${newest("e")} limit ${binder.bind(query.limit, "int8")}
			) as e
			join market_index.collection as c on c.id = e.collection_id
			left join market_index.token as t
				on t.collection_id = e.collection_id and t.token_id = e.token_id
		) as page on true
		order by page."blockNumber" desc, page."logIndex" desc, page."subIndex" desc`;
	return { text, values: binder.values };
}

/** Returns the beginning of the month in which events of a time, and of its slack, are stored. */
function monthOf(since: Date): Date {
	const at = new Date(since.getTime() - PLACE_SLACK_MS);
	return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
}

function rowOf(row: Reached & StepColumns): ChainEventRow {
	const { slug, collectionName, collectionImageUrl, tokenImageUrl, tokenTraits, ...more } = row;
	const { scanned: _, lastAt: _at, lastBlock: _block, lastLog: _log, lastSub: _sub, ...own } = more;
	return {
		event: eventOf(own),
		collection: { slug, name: collectionName, imageUrl: collectionImageUrl },
		token: { imageUrl: tokenImageUrl, traits: tokenTraits },
	};
}

function reachedOf(row: Reached | undefined): ChainEvents["reached"] {
	if (!row || row.lastAt === null) return null;
	const { lastAt, lastBlock, lastLog, lastSub } = row;
	if (lastBlock === null || lastLog === null || lastSub === null) return null;
	return {
		...{ blockNumber: lastBlock, logIndex: lastLog, subIndex: lastSub },
		occurredAtMs: lastAt.getTime(),
	};
}
