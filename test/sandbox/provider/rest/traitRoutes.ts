import { unitsOf } from "../market/etherOf.ts";
import { listingsOf } from "../market/figuresOf.ts";
import type { BookOrder, Trait } from "../market/Market.ts";
import { collectionBySlug } from "./find.ts";
import { CHAIN } from "./Office.ts";
import type { Asked, Route } from "./Route.ts";

/** Routes of traits, from the tokens' own metadata, and of the lowest price of each. */
export const traitRoutes: readonly Route[] = [
	{ method: "GET", path: "/traits/:slug", answer: counts },
	{ method: "GET", path: "/traits/:slug/floors", answer: floors },
];

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
