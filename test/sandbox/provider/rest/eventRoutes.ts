import type { Collection, MarketEvent } from "../market/Market.ts";
import { addressOf, collectionByContract, collectionBySlug, tokenOf } from "./find.ts";
import { limitOf, readCursor, writeCursor } from "./pageOf.ts";
import { Refusal } from "./Refusal.ts";
import type { Asked, Route } from "./Route.ts";
import { eventTypeOf, renderEvents } from "./renderEvent.ts";
import { traitFilter } from "./traitFilter.ts";

const TYPES = new Set([
	"sale",
	"transfer",
	"mint",
	"listing",
	"offer",
	"trait_offer",
	"collection_offer",
]);
const LIMITS = { limitDefault: 50, limitMax: 200 };

type Wanted = (event: MarketEvent) => boolean;

/** Routes of events, newest first; paged by `next`. */
export const eventRoutes: readonly Route[] = [
	{
		method: "GET",
		path: "/events",
		answer: (asked) => page(asked, [...asked.office.market().collections.values()]),
	},
	{
		method: "GET",
		path: "/events/collection/:slug",
		async answer(asked) {
			const { office, params, query } = asked;
			const collection = collectionBySlug(office, params[0]);
			const matches = traitFilter(query);
			if (!matches) return page(asked, [collection]);
			const metadata = await office.metadata.of(collection, collection.ids);
			const ids = new Set(collection.ids.filter((_, n) => matches(metadata[n]?.traits ?? [])));
			return page(asked, [collection], ({ tokenId }) => tokenId !== null && ids.has(tokenId));
		},
	},
	{
		method: "GET",
		path: "/events/chain/:chain/contract/:address/nfts/:identifier",
		answer(asked) {
			const [chain, address, identifier] = asked.params;
			const collection = collectionByContract(asked.office, { chain, address });
			const id = tokenOf(collection, identifier);
			return page(asked, [collection], ({ tokenId }) => tokenId === id);
		},
	},
	{
		method: "GET",
		path: "/events/accounts/:address",
		answer(asked) {
			const who = addressOf(asked.params[0]);
			const all = [...asked.office.market().collections.values()];
			return page(asked, all, ({ from, to }) => from === who || to === who);
		},
	},
];

async function page(
	{ office, query }: Asked,
	collections: readonly Collection[],
	isWanted: Wanted = () => true,
): Promise<unknown> {
	const limit = limitOf(query, LIMITS);
	const fits = filterOf(query, isWanted);
	// One more of each than fits, so that the newest of all collections are included.
	const found = collections
		.flatMap(({ events }) => newest(events, fits, limit + 1))
		.sort((a, b) => b.timeS - a.timeS || b.seq - a.seq);
	const shown = found.slice(0, limit);
	const last = shown.at(-1);
	const next = found.length > limit && last ? writeCursor([last.timeS, last.seq]) : null;
	return { asset_events: await renderEvents(office, shown), ...(next && { next }) };
}

function newest(events: readonly MarketEvent[], fits: Wanted, max: number): MarketEvent[] {
	const found: MarketEvent[] = [];
	for (let n = events.length - 1; n >= 0 && found.length < max; n--) {
		const event = events[n];
		if (event && fits(event)) found.push(event);
	}
	return found;
}

function filterOf(query: URLSearchParams, isWanted: Wanted): Wanted {
	const types = new Set(query.getAll("event_type"));
	for (const type of types)
		if (!TYPES.has(type)) throw new Refusal(400, `Invalid event_type: ${type}`);
	const after = secondsOf(query, "after") ?? Number.NEGATIVE_INFINITY;
	const before = secondsOf(query, "before") ?? Number.POSITIVE_INFINITY;
	const cursor = query.get("next");
	const [timeS = 0, seq = 0] = cursor ? readCursor(cursor) : [Number.POSITIVE_INFINITY];
	return (event) => {
		if (event.timeS > timeS || (event.timeS === timeS && event.seq >= seq)) return false;
		if (event.timeS <= after || event.timeS >= before) return false;
		return (types.size === 0 || types.has(eventTypeOf(event))) && isWanted(event);
	};
}

function secondsOf(query: URLSearchParams, name: string): number | null {
	const text = query.get(name);
	if (text === null) return null;
	if (!/^\d{1,12}$/.test(text)) throw new Refusal(400, `Invalid ${name}: ${text}`);
	return Number(text);
}
