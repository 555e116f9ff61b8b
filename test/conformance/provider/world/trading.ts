import { coins } from "#test/conformance/provider/world/coins.ts";
import { createRandom, type Random } from "#test/conformance/provider/world/createRandom.ts";
import {
	addEvent,
	addOrder,
	newCollection,
	type Plan,
	steps,
} from "#test/conformance/provider/world/growCollection.ts";
import type { Coin, World, WorldCollection } from "#test/conformance/provider/world/World.ts";

export type Growing = {
	random: Random;
	nowMs: number;
	nowS: number;
	grow(plan: Omit<Plan, "createdMs"> & { ageDays?: number }): WorldCollection;
};

export const DAY_S = 86_400;

/** Where collections are added to a world, by what its seed and this moment draw. */
export function growingIn(world: World, nowMs: number): Growing {
	const random = createRandom(world.seed + world.collections.size);
	return {
		random,
		nowMs,
		nowS: Math.floor(nowMs / 1_000),
		grow({ ageDays = 90, ...plan }) {
			const createdMs = nowMs - ageDays * DAY_S * 1_000;
			const collection = newCollection({ ...plan, createdMs }, random);
			world.collections.set(plan.slug, collection);
			return collection;
		},
	};
}

export type Trade = { sales: number; overS: number; coin: Coin; from?: number };

/** Sales at even distances, the last one `from` seconds ago, with prices that are drawn. */
export function trade(
	collection: WorldCollection,
	{ sales, overS, coin, from = 90 }: Trade,
	{ random, nowS }: Growing,
): void {
	for (let at = 0; at < sales; at++) {
		const atS = nowS - from - Math.floor((at * overS) / sales);
		const price = steps(100 + random.below(9_000), coin);
		addEvent(collection, { kind: "sale", atS, price }, random);
	}
}

/** Listings from dear to cheap, and offers of which every second is on any token. */
export function list(
	collection: WorldCollection,
	{ listings, coin, offers = 0 }: { listings: number; coin: Coin; offers?: number },
	growing: Growing,
): void {
	for (let at = 0; at < listings; at++) {
		const token = collection.tokens[at % collection.tokens.length];
		const price = steps(5_000 + 37 * (listings - at), coin);
		addOrder(collection, { kind: "listing", token: token ?? null, price }, growing);
	}
	for (let at = 0; at < offers; at++) {
		const kind = at % 2 === 0 ? "item_offer" : "collection_offer";
		addOrder(collection, { kind, price: steps(3_000 - 11 * at, coins.wethOnBase) }, growing);
	}
}
