// Names what activity may be of, and answers the types that are about orders.

import { z } from "zod";
import {
	ORDER_EVENTS,
	type OrderEventsQuery,
	type OrderEventType,
	readOrderEvents,
} from "#plugins/market-index/orderEvents.ts";
import { usdAt } from "#plugins/market-index/read/collectionDetail.ts";
import type { RouteContext } from "#plugins/market-index/read/context.ts";
import {
	type AskedFilters,
	type AskedTimes,
	contradiction,
	filterScope,
	timesOf,
} from "#plugins/market-index/routes/eventFilters.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/collection.ts";

/** The kinds of events that activity holds unless `type` says otherwise. */
export const EVENT_KINDS = ["sale", "mint", "transfer"] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

export type ActivityType = EventKind | OrderEventType;

/** The query parameter by which activity is limited to one type. */
export const activityTypeParam = z
	.enum([...EVENT_KINDS, ...ORDER_EVENTS])
	.optional()
	.meta({
		description:
			"Only events of this kind; all of `sale`, `mint` and `transfer` unless given. `listed`, " +
			"`offered` and `cancelled` are answered in `orders`.",
	});

/** Says what the types about orders answer, for the descriptions of routes. */
export const ORDER_EVENT_WORDS =
	"`type=listed`, `offered` and `cancelled` answer `orders` of the provider's books: those that are " +
	"active, and those that ended in the last seven days. `coverage` says since when; it is never " +
	"whole, as a book is followed only while somebody looks at its collection. They take `tokenId`, " +
	"`account` or `from` (the maker), `after`, `before` and `minPriceNative`.";

type OrdersAsked = AskedFilters &
	AskedTimes & { type: OrderEventType; cursor?: string | undefined; limit: number };

type OrderActivity = {
	data: never[];
	coverage: ShownPartial;
	orders: Awaited<ReturnType<typeof readOrderEvents>>["orders"];
	page: { nextCursor: string | null; hasMore: boolean };
	scannedTo: string | null;
};

export function isOrderType(type: ActivityType | undefined): type is OrderEventType {
	return ORDER_EVENTS.some((one) => one === type);
}

/**
 * Answers a page of what happened to orders. Throws `validation_error` for filters that no order
 * has: nobody gets a token by an order, and it has no venue and no block.
 */
export async function answerOrderEvents(
	{ core, prices }: Pick<RouteContext, "core" | "prices">,
	query: OrdersAsked,
	given: Pick<OrderEventsQuery, "of" | "scope"> & {
		chains: Parameters<typeof readOrderEvents>[2]["chains"];
	},
): Promise<OrderActivity> {
	const { type, account, from, cursor, limit } = query;
	for (const name of ["to", "venue", "block"] as const) {
		if (query[name] !== undefined) throw contradiction(name, `\`${type}\` has none: leave it out`);
	}
	if (account !== undefined && from !== undefined && account !== from) {
		throw contradiction("account", "is not `from`, so nothing can match");
	}
	const nowMs = core.clock.nowMs();
	const { tokenId = null, minPriceNative: minPriceWei = null } = query;
	const maker = account ?? from ?? null;
	const filters = { tokenId: query.tokenId, account: maker ?? undefined };
	const bound = filterScope({ ...filters, minPriceWei: minPriceWei ?? undefined }, query);
	const asked = {
		...{ type, of: given.of, tokenId, maker, minPriceWei, ...timesOf(query, nowMs), nowMs },
		...{ scope: { ...given.scope, ...bound }, cursor, limit },
	};
	const context = { chains: given.chains, usdOf: usdAt(prices, nowMs) };
	const read = await readOrderEvents(core.db, asked, context);
	// How much of any time a book was followed is not known.
	const held = { from: read.keptFrom, until: null, fraction: null };
	const { orders, page, scannedTo } = read;
	return { data: [], coverage: { [type]: held }, orders, page, scannedTo };
}
