// Answers the provider's routes of collections and traits.

import { z } from "zod";
import {
	type BookOrder,
	type Collection,
	holdersOf,
	listingsOf,
	salesSince,
	type Trait,
	unitEther,
	unitsOf,
} from "../market/Market.ts";
import {
	type Asked,
	CHAIN,
	choiceOf,
	collectionBySlug,
	hasOurChain,
	pageOf,
	Refusal,
	type Route,
} from "./Office.ts";
import { renderCollection, renderCollectionDetail, renderStats } from "./render.ts";

type Measure = (collection: Collection, nowS: number) => number;
type Listing = {
	cursorName: "next" | "cursor";
	limitDefault: number;
	limitMax: number;
	measure: Measure;
};

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const TIMEFRAME_S = {
	one_day: DAY_S,
	one_minute: 60,
	five_minutes: 300,
	fifteen_minutes: 900,
	one_hour: HOUR_S,
	seven_days: 7 * DAY_S,
	thirty_days: 30 * DAY_S,
	one_year: 365 * DAY_S,
	all_time: Number.POSITIVE_INFINITY,
};
const ORDER_BY = [
	"created_date",
	"one_day_change",
	"seven_day_volume",
	"seven_day_change",
	"num_owners",
	"market_cap",
] as const;
const SORT_BY = [
	"one_day_volume",
	"seven_days_volume",
	"thirty_days_volume",
	"floor_price",
	"one_day_sales",
	"seven_days_sales",
	"thirty_days_sales",
	"total_volume",
	"total_sales",
] as const;
const Batch = z.object({ slugs: z.array(z.string()).max(100) });

/** Routes of collections: the lists, one by name, its figures, its holders. */
export const collectionRoutes: readonly Route[] = [
	{
		method: "GET",
		path: "/collections",
		answer(asked) {
			const order = choiceOf(asked.query, "order_by", ORDER_BY);
			const page = { cursorName: "next", limitDefault: 50, limitMax: 100 } as const;
			return listPage(asked, { ...page, measure: newestMeasure(order) });
		},
	},
	{
		method: "GET",
		path: "/collections/trending",
		answer(asked) {
			const names = Object.keys(TIMEFRAME_S) as (keyof typeof TIMEFRAME_S)[];
			const [first = "one_day", ...others] = names;
			const seconds = TIMEFRAME_S[choiceOf(asked.query, "timeframe", [first, ...others])];
			const page = { cursorName: "cursor", limitDefault: 20, limitMax: 100 } as const;
			return listPage(asked, { ...page, measure: sum("ether", seconds) });
		},
	},
	{
		method: "GET",
		path: "/collections/top",
		answer(asked) {
			const by = choiceOf(asked.query, "sort_by", SORT_BY);
			const page = { cursorName: "cursor", limitDefault: 50, limitMax: 100 } as const;
			return listPage(asked, { ...page, measure: topMeasure(by) });
		},
	},
	{
		method: "POST",
		path: "/collections/batch",
		answer({ office, body }) {
			const asked = Batch.safeParse(body);
			if (!asked.success) throw new Refusal(400, "Invalid request");
			const found = asked.data.slugs.map((slug) => office.market().collections.get(slug));
			const known = found.filter((collection) => collection !== undefined);
			return { collections: known.map((collection) => renderCollection(office, collection)) };
		},
	},
	{
		method: "GET",
		path: "/collections/:slug",
		answer: ({ office, params: [slug] }) =>
			renderCollectionDetail(office, collectionBySlug(office, slug)),
	},
	{
		method: "GET",
		path: "/collections/:slug/stats",
		answer: ({ office, params: [slug] }) => renderStats(office, collectionBySlug(office, slug)),
	},
	{ method: "GET", path: "/collections/:slug/holders", answer: holders },
	{ method: "GET", path: "/collections/:slug/offer_aggregates", answer: offerAggregates },
];

/** Routes of traits, from the tokens' own metadata, and of the lowest price of each. */
export const traitRoutes: readonly Route[] = [
	{ method: "GET", path: "/traits/:slug", answer: counts },
	{ method: "GET", path: "/traits/:slug/floors", answer: floors },
];

function listPage({ office, query }: Asked, listing: Listing): unknown {
	const market = office.market();
	const all = hasOurChain(query) ? [...market.collections.values()] : [];
	const nowS = market.head.timeS;
	const ranked = all
		.map((collection, n) => ({ collection, at: [-listing.measure(collection, nowS), n] }))
		.sort((a, b) => (a.at[0] ?? 0) - (b.at[0] ?? 0) || (a.at[1] ?? 0) - (b.at[1] ?? 0));
	const page = pageOf(ranked, { ...listing, query, position: ({ at }) => at });
	return {
		collections: page.items.map(({ collection }) => renderCollection(office, collection)),
		...(page.next && { next: page.next }),
	};
}

function newestMeasure(order: (typeof ORDER_BY)[number]): Measure {
	switch (order) {
		case "created_date":
			return ({ createdS }) => createdS;
		case "num_owners":
			return (collection) => holdersOf(collection).length;
		case "market_cap":
			return (collection) => Math.exp(collection.logPrice ?? 0) * Number(collection.units);
		case "one_day_change":
			return sum("ether", DAY_S);
		case "seven_day_volume":
		case "seven_day_change":
			return sum("ether", 7 * DAY_S);
	}
}

function sum(what: "sales" | "ether", seconds: number): Measure {
	return (collection, nowS) => salesSince(collection, nowS - seconds)[what];
}

function topMeasure(by: (typeof SORT_BY)[number]): Measure {
	switch (by) {
		case "one_day_volume":
			return sum("ether", DAY_S);
		case "seven_days_volume":
			return sum("ether", 7 * DAY_S);
		case "thirty_days_volume":
			return sum("ether", 30 * DAY_S);
		case "one_day_sales":
			return sum("sales", DAY_S);
		case "seven_days_sales":
			return sum("sales", 7 * DAY_S);
		case "thirty_days_sales":
			return sum("sales", 30 * DAY_S);
		case "total_volume":
			return ({ totals }) => totals.ether;
		case "total_sales":
			return ({ totals }) => totals.sales;
		case "floor_price":
			return (collection) => {
				const [best] = listingsOf(collection);
				return best ? unitEther(best) : 0;
			};
	}
}

function holders({ office, params: [slug], query }: Asked): unknown {
	const collection = collectionBySlug(office, slug);
	const ranked = holdersOf(collection).map(([address, units], n) => ({ address, units, n }));
	const page = pageOf(ranked, {
		query,
		cursorName: "cursor",
		limitDefault: 50,
		limitMax: 100,
		position: ({ n }) => [n],
	});
	return {
		holders: page.items.map(({ address, units }) => ({
			address,
			quantity: Number(units),
			percentage: (Number(units) / Number(collection.units)) * 100,
		})),
		...(page.next && { next: page.next }),
	};
}

function offerAggregates({ office, params: [slug], query }: Asked): unknown {
	const collection = collectionBySlug(office, slug);
	const wide = [...collection.open].filter(({ kind }) => kind === "collection_offer");
	const levels = [...Map.groupBy(wide, (order) => unitEther(order))]
		.map(([price, orders]) => ({ price, orders }))
		.sort((a, b) => b.price - a.price);
	const page = pageOf(levels, {
		query,
		cursorName: "cursor",
		limitDefault: 50,
		limitMax: 100,
		position: ({ price }) => [-price],
	});
	const money = (orders: readonly BookOrder[]) => {
		const units = orders.reduce((all, o) => all + unitsOf(o.totalRaw, o.currency), 0);
		const usd = orders.reduce((all, o) => all + unitEther(o), 0) * office.usdPerEther;
		const symbol = orders[0]?.currency.symbol;
		return { usd_price: String(usd), token_unit: units, symbol, chain: CHAIN };
	};
	return {
		offer_aggregates: page.items.map(({ orders }) => ({
			offer_price: money(orders.slice(0, 1)),
			total_value: money(orders),
			total_offers: orders.length,
			bidders: [...Map.groupBy(orders, ({ maker }) => maker)].map(([address, own]) => ({
				address,
				quantity: own.length,
			})),
		})),
		...(page.next && { next: page.next }),
	};
}

async function counts({ office, params }: Asked): Promise<unknown> {
	const collection = collectionBySlug(office, params[0]);
	const byType = new Map<string, Map<string, number>>();
	for (const { traits } of await office.metadata.of(collection, collection.ids)) {
		for (const { type, value } of traits) {
			const values = byType.get(type) ?? new Map<string, number>();
			byType.set(type, values.set(value, (values.get(value) ?? 0) + 1));
		}
	}
	return {
		categories: Object.fromEntries([...byType.keys()].map((type) => [type, "string"])),
		counts: Object.fromEntries(
			[...byType].map(([type, values]) => [type, Object.fromEntries(values)]),
		),
	};
}

/** Returns one row per currency: floors are never converted. */
async function floors({ office, params }: Asked): Promise<unknown> {
	const collection = collectionBySlug(office, params[0]);
	const listings = listingsOf(collection);
	const ids = listings.flatMap(({ tokenId }) => (tokenId === null ? [] : [tokenId]));
	const metadata = await office.metadata.of(collection, ids);
	const best = new Map<string, { trait: Trait; order: BookOrder }>();
	for (const [n, order] of listings.entries()) {
		for (const trait of metadata[n]?.traits ?? []) {
			const key = `${trait.type}/${trait.value}/${order.currency.symbol}`;
			// The cheapest come first.
			if (!best.has(key)) best.set(key, { trait, order });
		}
	}
	return {
		chain: CHAIN,
		floors: [...best.values()].map(({ trait, order }) => ({
			trait_type: trait.type,
			value: trait.value,
			floor_price: unitsOf(order.totalRaw / order.units, order.currency),
			payment_token_symbol: order.currency.symbol,
		})),
	};
}
