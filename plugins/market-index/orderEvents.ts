// Reads when orders began and ended, newest first: what was listed, offered and cancelled.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import { type Binder, createBinder, type Queryable } from "#core/db/Database.ts";
import { CURSOR_PART, type CursorScope, createCursor } from "#core/http/pages.ts";
import { chainOfRow } from "#plugins/market-index/display.ts";
import { DATE_MS_MAX, ORDER_KINDS, RETIRED_AS } from "#plugins/market-index/event/MarketEvent.ts";
import { BOOK_COLUMNS, type PlacedOrder, renderPlaced } from "#plugins/market-index/orderPages.ts";
import { RETIRED_KEPT_MS } from "#plugins/market-index/orders/OrderRow.ts";
import type { OrderEventRow } from "#plugins/market-index/schemas/book.ts";

/** What happened to an order. `listed`, `offered`: it began; `cancelled`: it ended unfilled. */
export const ORDER_EVENTS = ["listed", "offered", "cancelled"] as const;

export type OrderEventType = (typeof ORDER_EVENTS)[number];

type OrderEvent = PlacedOrder & {
	chainId: number;
	contract: Address;
	slug: string;
	occurredAt: Date;
	isActive: boolean;
	/** Why it ended, as `RETIRED_AS` numbers it; null: it has not, or nobody knows. */
	retiredAs: number | null;
};

export type OrderEventsQuery = {
	type: OrderEventType;
	/** Of one collection, or of all on these chains. */
	of: { collectionId: number } | { chainIds: readonly number[] };
	tokenId: string | null;
	maker: Address | null;
	minPriceWei: bigint | null;
	since: Date | null;
	until: Date | null;
	nowMs: number;
	/** What the cursor is bound to. */
	scope: CursorScope;
	cursor: string | undefined;
	limit: number;
};

type OrderEventPage = {
	orders: OrderEventRow[];
	page: { nextCursor: string | null; hasMore: boolean };
	/** How far back it looked before the page was full; null: nothing was passed over. */
	scannedTo: string | null;
	/** How far back such orders are kept. */
	keptFrom: string;
};

type OrderEventContext = {
	chains: readonly Chain[];
	usdOf: (unitNative: string | null) => number | null;
};

type Place = { at: Date; orderHash: Hex };

/** Orders that a page looks at. */
const LOOKED_AT_MAX = 20_000;

const cursors = createCursor("orders1", [CURSOR_PART.millis, CURSOR_PART.hash]);

const ENDED = ["expired", "filled", "gone", "missing"] as const;

const TIMES = { listed: "starts_at", offered: "starts_at", cancelled: "retired_at" } as const;

/**
 * Returns a page of what happened to orders, by `market_order_begun` or `market_order_ended`; of
 * all collections by `market_order_begun_anywhere` or `market_order_retired`. Orders of unknown
 * beginning are in none. Looks at 20,000 orders at most, and says how far that went.
 */
export async function readOrderEvents(
	db: Queryable,
	query: OrderEventsQuery,
	context: OrderEventContext,
): Promise<OrderEventPage> {
	const { limit, nowMs, type } = query;
	const bound = cursors.of({ ...query.scope, type: query.type });
	const after = query.cursor === undefined ? null : placeOf(bound.decode(query.cursor));
	const binder = createBinder();
	const rows = await db.query<Omit<OrderEvent, "kind"> & { kind: number }>(
		`select ${BOOK_COLUMNS}, o.chain_id as "chainId", '0x' || encode(c.address, 'hex') as contract,
			c.slug, o.at as "occurredAt", o.is_active as "isActive", o.retired_as as "retiredAs",
			t.name as "tokenName", t.rank, t.traits,
			case when o.token_id is null then c.image_url else t.image_url end as "imageUrl"
		from (
			select looked.*, c.chain_id from (${lookedAt(binder, { query, after })}) as looked
			join market_index.collection as c on c.id = looked.collection_id
			where not c.excluded ${filtersOf(binder, query)}
			order by looked.at desc, looked.order_hash limit ${binder.bind(limit + 1, "int8")}
		) as o
		join market_index.collection as c on c.id = o.collection_id
		left join market_index.token as t
			on t.collection_id = o.collection_id and t.token_id = o.token_id
		order by o.at desc, o.order_hash`,
		binder.values,
	);
	const found = rows.map((row) => ({ ...row, kind: ORDER_KINDS[row.kind] ?? "listing" }));
	const orders = found.slice(0, limit);
	const last = orders.at(-1);
	const isFull = found.length > limit && last !== undefined;
	const reached = isFull ? null : await readReached(db, { query, after });
	const place = isFull ? { at: last.occurredAt, orderHash: last.orderHash } : reached;
	return {
		orders: orders.map((order) => renderEvent(order, type, context)),
		page: {
			nextCursor: place ? bound.encode([`${place.at.getTime()}`, place.orderHash]) : null,
			hasMore: place !== null,
		},
		scannedTo: reached?.at.toISOString() ?? null,
		keptFrom: new Date(nowMs - RETIRED_KEPT_MS).toISOString(),
	};
}

function renderEvent(
	order: OrderEvent,
	eventType: OrderEventType,
	{ chains, usdOf }: OrderEventContext,
): OrderEventRow {
	const { contract, slug, occurredAt, isActive, retiredAs } = order;
	const [ended = null] = ENDED.filter((name) => RETIRED_AS[name] === retiredAs);
	return {
		...renderPlaced(order, { chain: chainOfRow(chains, order), contract, slug, usdOf }),
		...{ eventType, occurredAt: occurredAt.toISOString(), isActive, ended },
	};
}

/** Returns the last order that a page looked at, where there may be more; null: it saw all. */
async function readReached(
	db: Queryable,
	given: { query: OrderEventsQuery; after: Place | null },
): Promise<Place | null> {
	const binder = createBinder();
	const rows = await db.query<Place>(
		`select at, '0x' || encode(order_hash, 'hex') as "orderHash"
		from (${lookedAt(binder, given)}) as looked
		order by at desc, order_hash offset ${LOOKED_AT_MAX - 1} limit 1`,
		binder.values,
	);
	return rows[0] ?? null;
}

/** Returns SQL for the newest orders of the collection, or of all, from the place on. */
function lookedAt(
	binder: Binder,
	{ query, after }: { query: OrderEventsQuery; after: Place | null },
): string {
	const { type, of, since, until, nowMs } = query;
	const time = TIMES[type];
	// What has not begun was not listed yet.
	const end = new Date(Math.min(until?.getTime() ?? Number.POSITIVE_INFINITY, nowMs + 1));
	const conditions = [`${time} < ${binder.bind(end, "timestamptz")}`];
	if ("collectionId" in of) {
		conditions.push(`collection_id = ${binder.bind(of.collectionId, "int4")}`);
	}
	if (type === "cancelled") conditions.push("not is_active");
	if (since) conditions.push(`${time} >= ${binder.bind(since, "timestamptz")}`);
	if (after) {
		const at = binder.bind(after.at, "timestamptz");
		const hash = binder.bind(bytesOf(after.orderHash), "bytea");
		conditions.push(`${time} <= ${at} and (${time} < ${at} or order_hash > ${hash})`);
	}
	return `select *, ${time} as at from market_index.market_order
		where ${time} is not null and ${conditions.join(" and ")}
		order by ${time} desc, order_hash limit ${LOOKED_AT_MAX}`;
}

function filtersOf(binder: Binder, query: OrderEventsQuery): string {
	const { type, of, tokenId, maker, minPriceWei } = query;
	const conditions: string[] = [];
	if (type === "cancelled") {
		conditions.push(`looked.retired_as in (${RETIRED_AS.gone}, ${RETIRED_AS.missing})`);
	} else {
		conditions.push(type === "listed" ? "looked.kind = 0" : "looked.kind > 0");
	}
	if ("chainIds" in of) {
		conditions.push(`c.chain_id = any(${binder.bind(of.chainIds, "int8[]")})`);
	}
	if (tokenId !== null) conditions.push(`looked.token_id = ${binder.bind(tokenId, "numeric")}`);
	if (maker !== null) conditions.push(`looked.maker = ${binder.bind(bytesOf(maker), "bytea")}`);
	if (minPriceWei !== null) {
		conditions.push(`looked.unit_native >= ${binder.bind(minPriceWei, "numeric")}`);
	}
	return conditions.map((condition) => `and ${condition}`).join(" ");
}

function placeOf([ms = "0", hash = "0x"]: string[]): Place {
	return { at: new Date(Math.min(Number(ms), DATE_MS_MAX)), orderHash: `0x${hash.slice(2)}` };
}
