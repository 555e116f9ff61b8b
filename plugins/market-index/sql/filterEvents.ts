// Reads events of a collection that pass filters without an index of their own, in bounded scans.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import { type Binder, createBinder, type Queryable } from "#core/db/Database.ts";
import {
	type EventPlace,
	PROVIDER_LOG_INDEX,
	type StoredEvent,
} from "#plugins/market-index/event/MarketEvent.ts";
import { EVENT_COLUMNS, type EventColumns, eventOf } from "#plugins/market-index/sql/events.ts";
import {
	type ActivityQuery,
	NEWEST_FIRST,
	newestOfKinds,
} from "#plugins/market-index/sql/readEvents.ts";
import type { TraitFilter } from "#plugins/market-index/tokens/model.ts";
import { traitFilterSql } from "#plugins/market-index/tokens/sql/traits.ts";

/** Says which events are wanted, besides their kind and time. What is left out limits nothing. */
export type EventFilter = {
	tokenId?: string | undefined;
	/** Who gave or got the token. */
	account?: Address | undefined;
	/** Who gave it: a sale's seller. */
	from?: Address | undefined;
	/** Who got it: a sale's buyer. */
	to?: Address | undefined;
	venue?: string | undefined;
	/** The least price of one unit, in wei of ETH. An event whose price is unknown does not pass. */
	minPriceWei?: bigint | undefined;
	/** An event whose block only the provider's time suggests does not pass. */
	block?: number | undefined;
	/** What its token has now. */
	traits?: TraitFilter | undefined;
};

export type FilteredQuery = ActivityQuery & { chainId: number; filter: EventFilter };

export type FilteredEvents = {
	events: StoredEvent[];
	/** Where the scan stopped because it had looked at enough; null where nothing was left out. */
	reached: EventPlace | null;
};

type Reached = {
	scanned: number;
	lastAt: Date | null;
	lastBlock: number | null;
	lastLog: number | null;
	lastSub: number | null;
};

type StepRow = Reached & (EventColumns | { kind: null });

/** Events that the statements of one page look at, one after the other: 20,000 in all. */
const STEPS = [1_000, 4_000, 15_000] as const;

/** Says whether a filter limits anything. */
export function isFiltering(filter: EventFilter): boolean {
	return Object.values(filter).some((value) => value !== undefined);
}

/**
 * Returns a collection's events that pass, newest first, and where the scan stopped. It looks at
 * `event_by_collection` from the query's place on, and at most at 20,000 events: a filter that
 * nothing passes costs no more. `limit` events end it sooner.
 */
export async function readFiltered(db: Queryable, query: FilteredQuery): Promise<FilteredEvents> {
	const events: StoredEvent[] = [];
	let after = query.after;
	for (const step of STEPS) {
		const asked = { ...query, after, limit: query.limit - events.length };
		const { text, values } = filterStatement(asked, step);
		const rows = await db.query<StepRow>(text, values);
		for (const row of rows) if (row.kind !== null) events.push(eventOf(columnsOf(row)));
		const [first] = rows;
		if (events.length >= query.limit || !first || first.scanned < step) {
			return { events, reached: null };
		}
		after = placeOf(first);
	}
	return { events, reached: after };
}

/**
 * Returns the statement of one step, apart from its caller so that a test can check its plan. It
 * has at least one row, which says how far it looked.
 */
export function filterStatement(query: FilteredQuery, step: number) {
	const binder = createBinder();
	const more = blockSql(binder, query);
	const looked = newestOfKinds(binder, { ...query, limit: step }, more);
	const filters = filterSql(binder, query.filter);
	const text = `with scanned as materialized (
			select * from (${looked}) as e order by ${NEWEST_FIRST} limit ${binder.bind(step, "int8")}
		)
		select counted.scanned, last.occurred_at as "lastAt", last.block_number as "lastBlock",
			last.log_index as "lastLog", last.sub_index as "lastSub", page.*
		from (select count(*)::int4 as scanned from scanned) as counted
		left join lateral (
			select * from scanned order by occurred_at, block_number, log_index, sub_index limit 1
		) as last on true
		left join lateral (
			select ${EVENT_COLUMNS} from scanned as e
			join market_index.collection as c on c.id = e.collection_id
			where ${filters.length === 0 ? "true" : filters.join(" and ")}
			order by e.occurred_at desc, e.block_number desc, e.log_index desc, e.sub_index desc
			limit ${binder.bind(query.limit, "int8")}
		) as page on true
		order by page."occurredAt" desc, page."blockNumber" desc, page."logIndex" desc,
			page."subIndex" desc`;
	return { text, values: binder.values };
}

/** Returns the conditions on an event `e`. */
export function filterSql(binder: Binder, filter: EventFilter): string[] {
	const { tokenId, account, from, to, venue, minPriceWei, traits = [] } = filter;
	const conditions: string[] = [];
	const address = (given: Address) => binder.bind(bytesOf(given), "bytea");
	if (tokenId !== undefined) conditions.push(`e.token_id = ${binder.bind(tokenId, "numeric")}`);
	if (account !== undefined) {
		const either = address(account);
		conditions.push(`(e.from_address = ${either} or e.to_address = ${either})`);
	}
	if (from !== undefined) conditions.push(`e.from_address = ${address(from)}`);
	if (to !== undefined) conditions.push(`e.to_address = ${address(to)}`);
	if (venue !== undefined) conditions.push(`e.venue = ${binder.bind(venue, "text")}`);
	if (minPriceWei !== undefined) {
		const least = binder.bind(minPriceWei, "numeric");
		conditions.push(`e.total_native >= ${least} * e.quantity`);
	}
	if (traits.length > 0) {
		// The offset keeps it a look by key for each event: joined, all tokens might be read.
		conditions.push(`exists (
			select from market_index.token as t where t.collection_id = e.collection_id
				and t.token_id = e.token_id and ${traitFilterSql(binder, traits).join(" and ")} offset 0
		)`);
	}
	return conditions;
}

/** Returns the condition on a block, by the unique index: it is looked at, and nothing else is. */
function blockSql(binder: Binder, { chainId, filter }: FilteredQuery): string[] {
	if (filter.block === undefined) return [];
	const block = binder.bind(filter.block, "int8");
	return [
		`chain_id = ${binder.bind(chainId, "int8")} and block_number = ${block}`,
		`log_index < ${PROVIDER_LOG_INDEX}`,
	];
}

function columnsOf(row: Reached & EventColumns): EventColumns {
	const { scanned: _, lastAt: _at, lastBlock: _block, lastLog: _log, lastSub: _sub, ...own } = row;
	return own;
}

function placeOf({ lastAt, lastBlock, lastLog, lastSub }: Reached): EventPlace | null {
	if (lastAt === null || lastBlock === null || lastLog === null || lastSub === null) return null;
	return {
		occurredAtMs: lastAt.getTime(),
		blockNumber: lastBlock,
		logIndex: lastLog,
		subIndex: lastSub,
	};
}
