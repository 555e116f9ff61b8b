import type { Queryable } from "#core/db/Database.ts";
import type { EventPlace } from "#plugins/market-index/cursor/eventCursor.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import {
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
} from "#plugins/market-index/sql/eventColumns.ts";

export type ActivityQuery = {
	collectionId: number;
	kinds: readonly StoredEvent["kind"][];
	/** Leaves out events that count in no figure. */
	acceptedOnly: boolean;
	/** Leaves out older events. */
	since: Date | null;
	after: EventPlace | null;
	limit: number;
};

/**
 * Returns a collection's events, newest first.
 *
 * One branch a kind, each in the order of `event_by_collection` (collection, kind, time) and cut at
 * the limit; the time bounds are repeated outside the row comparison because only they let whole
 * partitions be skipped.
 */
export async function readActivity(db: Queryable, query: ActivityQuery): Promise<StoredEvent[]> {
	const { text, values } = activityStatement(query);
	const rows = await db.query<EventColumns>(text, values);
	return rows.map(eventOf);
}

const NEWEST_FIRST = "occurred_at desc, block_number desc, log_index desc, sub_index desc";

/** Returns the statement, apart from its caller so that a test can check its plan. */
export function activityStatement(query: ActivityQuery) {
	const binder = createBinder();
	const id = binder.bind(query.collectionId, "int4");
	const limit = binder.bind(query.limit, "int8");
	const conditions = [`collection_id = ${id}`];
	if (query.acceptedOnly) conditions.push("accepted");
	if (query.since) conditions.push(`occurred_at >= ${binder.bind(query.since, "timestamptz")}`);
	if (query.after) {
		const { occurredAtMs, blockNumber, logIndex, subIndex } = query.after;
		const at = binder.bind(new Date(occurredAtMs), "timestamptz");
		const block = binder.bind(blockNumber, "int8");
		const place = `${block}, ${binder.bind(logIndex, "int4")}, ${binder.bind(subIndex, "int4")}`;
		conditions.push(
			`occurred_at <= ${at}`,
			`(occurred_at, block_number, log_index, sub_index) < (${at}, ${place})`,
		);
	}
	const branches = query.kinds.map((kind) => {
		const ofKind = `kind = ${binder.bind(EVENT_KIND[kind], "int2")}`;
		return `(select * from market_index.event where ${ofKind} and ${conditions.join(" and ")}
			order by ${NEWEST_FIRST} limit ${limit})`;
	});
	const text = `select ${EVENT_COLUMNS}
		from (${branches.join(" union all ")}) as e
		join market_index.collection as c on c.id = e.collection_id
		order by e.occurred_at desc, e.block_number desc, e.log_index desc, e.sub_index desc
		limit ${limit}`;
	return { text, values: binder.values };
}
