import type { Random } from "#test/conformance/provider/world/createRandom.ts";
import { addressOf, hashOf } from "#test/conformance/provider/world/namedHex.ts";
import type {
	Coin,
	Place,
	Price,
	WorldCollection,
	WorldEvent,
	WorldOrder,
	WorldToken,
} from "#test/conformance/provider/world/World.ts";

const COLOURS = ["Rust", "Teal", "Bone", "Plum"];
const SHAPES = ["Round", "Tall", "Split"];
const ACCOUNTS = 24;

export type Plan = {
	slug: string;
	name?: string;
	places: readonly Place[];
	tokens: number;
	createdMs: number;
};

/** Returns a new collection: it has tokens, and nothing was ever sold. */
export function newCollection(plan: Plan, random: Random): WorldCollection {
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

export type EventPlan = Partial<WorldEvent> & { kind: WorldEvent["kind"]; atS: number };

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

export type OrderPlan = Partial<WorldOrder> & { kind: WorldOrder["kind"]; price: Price };

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

export const ZERO = "0x0000000000000000000000000000000000000000";

/** So many steps of 0.0001 of a whole coin. */
export function steps(count: number, coin: Coin): Price {
	return { total: BigInt(count) * 10n ** BigInt(coin.decimals - 4), coin };
}

export function placeOf(
	slug: string,
	chain: string,
	standard: Place["standard"] = "erc721",
): Place {
	return { chain, address: addressOf(`${slug} on ${chain}`), standard };
}

function accountOf(random: Random) {
	return addressOf(`account ${random.below(ACCOUNTS)}`);
}

function otherThan(account: string, random: Random) {
	const other = accountOf(random);
	return other === account ? addressOf(`neighbour of ${account}`) : other;
}

function titleOf(slug: string): string {
	return slug
		.split("-")
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join(" ");
}
