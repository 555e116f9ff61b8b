import { coins } from "#test/conformance/provider/world/coins.ts";
import { addEvent, placeOf, steps } from "#test/conformance/provider/world/growCollection.ts";
import { DAY_S, type Growing, list } from "#test/conformance/provider/world/trading.ts";
import type { WorldCollection } from "#test/conformance/provider/world/World.ts";

/** A fifth of a day more than anybody needs to read. */
const DAYS = 1.2;
const TOKENS = 50;

export type Busy = { slug: string; salesADay: number };

/** A collection that is sold around the clock, so that a day of it fills many pages. */
export function addBusyCollection(growing: Growing, { slug, salesADay }: Busy): WorldCollection {
	const places = [placeOf(slug, "base")];
	const collection = growing.grow({ slug, places, tokens: TOKENS });
	const { random, nowS } = growing;
	// The oldest first: each is then added in front of those before.
	for (let sale = Math.floor(DAYS * salesADay) - 1; sale >= 0; sale--) {
		const atS = nowS - 30 - Math.floor((sale * DAY_S) / salesADay);
		const price = steps(100 + random.below(900), coins.eth);
		addEvent(collection, { kind: "sale", atS, price }, random);
	}
	list(collection, { listings: 10, coin: coins.eth }, growing);
	return collection;
}
