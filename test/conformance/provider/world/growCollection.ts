// Adds tokens, trades and orders to a collection of the world.

import {
	addressOf,
	type Coin,
	coins,
	createRandom,
	hashOf,
	type Place,
	type Price,
	type Random,
	type World,
	type WorldCollection,
	type WorldEvent,
	type WorldOrder,
	type WorldToken,
} from "#test/conformance/provider/world/World.ts";

export type Plan = {
	slug: string;
	name?: string;
	places: readonly Place[];
	tokens: number;
	createdMs: number;
};

export type EventPlan = Partial<WorldEvent> & { kind: WorldEvent["kind"]; atS: number };

export type OrderPlan = Partial<WorldOrder> & { kind: WorldOrder["kind"]; price: Price };

export type Growing = {
	random: Random;
	nowMs: number;
	nowS: number;
	grow(plan: Omit<Plan, "createdMs"> & { ageDays?: number }): WorldCollection;
};

export type Trade = { sales: number; overS: number; coin: Coin; from?: number };

export type Busy = { slug: string; salesADay: number };

const COLOURS = ["Rust", "Teal", "Bone", "Plum"];
const SHAPES = ["Round", "Tall", "Split"];
const ACCOUNTS = 24;

export const ZERO = "0x0000000000000000000000000000000000000000";

export const DAY_S = 86_400;

/** A fifth of a day more than anybody needs to read. */
const DAYS = 1.2;
const TOKENS = 50;

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

/** Returns a new collection: it has tokens, and nothing was ever sold. */
function newCollection(plan: Plan, random: Random): WorldCollection {
	const { slug, name = titleOf(slug), places, tokens, createdMs } = plan;
	return {
		slug,
		name,
		description: `${name}, all of them.`,
		imageUrl: `https://pictures.example/${slug}/cover.png`,
		createdMs,
		places: [...places],
		tokens: Array.from({ length: tokens }, (_, at) => newToken(slug, places, at, random)),
		events: [],
		orders: [],
		claims: {},
		drop: null,
	};
}

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

/** Something that happened; whatever the plan leaves open is drawn. */
export function addEvent(to: WorldCollection, plan: EventPlan, random: Random): WorldEvent {
	const number = to.events.length + 1;
	const from = accountOf(random);
	const event: WorldEvent = {
		number,
		token: random.pick(to.tokens),
		from: plan.kind === "mint" ? ZERO : from,
		to: otherThan(from, random),
		quantity: 1,
		price: null,
		transaction: hashOf(`${to.slug} transaction ${number}`),
		orderHash: plan.kind === "sale" ? hashOf(`${to.slug} filled ${number}`) : null,
		...plan,
	};
	const older = to.events.findIndex((other) => other.atS <= event.atS);
	to.events.splice(older === -1 ? to.events.length : older, 0, event);
	return event;
}

export function placeOf(
	slug: string,
	chain: string,
	standard: Place["standard"] = "erc721",
): Place {
	return { chain, address: addressOf(`${slug} on ${chain}`), standard };
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

/** An order that stands; its token is given, or drawn where the kind has one. */
export function addOrder(
	to: WorldCollection,
	plan: OrderPlan,
	{ random, nowS }: { random: Random; nowS: number },
): WorldOrder {
	const number = to.orders.length + 1;
	const drawn = plan.kind === "collection_offer" ? null : random.pick(to.tokens);
	const token = plan.token === undefined ? drawn : plan.token;
	const [first] = to.places;
	const place = token?.place ?? first;
	if (!place) throw new Error(`${to.slug} has no contract to trade`);
	const order: WorldOrder = {
		hash: hashOf(`${to.slug} order ${number}`),
		maker: token && plan.kind === "listing" ? token.owner : accountOf(random),
		quantity: 1,
		createdS: nowS - 600,
		startS: nowS - 600,
		endS: nowS + 7 * 86_400,
		taker: null,
		...plan,
		token,
		place,
	};
	to.orders.push(order);
	return order;
}

/** So many steps of 0.0001 of a whole coin. */
export function steps(count: number, coin: Coin): Price {
	return { total: BigInt(count) * 10n ** BigInt(coin.decimals - 4), coin };
}

function titleOf(slug: string): string {
	return slug
		.split("-")
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(" ");
}

function newToken(slug: string, places: readonly Place[], at: number, random: Random): WorldToken {
	const place = places[at % places.length];
	if (!place) throw new Error(`${slug} has tokens and no contract`);
	const id = String(at + 1);
	return {
		place,
		id,
		name: `${titleOf(slug)} #${id}`,
		imageUrl: `https://pictures.example/${slug}/${id}.png`,
		displayImageUrl: `https://pictures.example/${slug}/${id}-shown.png`,
		traits: [
			{ trait_type: "Colour", value: random.pick(COLOURS) },
			{ trait_type: "Shape", value: random.pick(SHAPES) },
		],
		owner: accountOf(random),
	};
}

function accountOf(random: Random) {
	return addressOf(`account ${random.below(ACCOUNTS)}`);
}

function otherThan(account: string, random: Random) {
	const other = accountOf(random);
	return other === account ? addressOf(`neighbour of ${account}`) : other;
}
