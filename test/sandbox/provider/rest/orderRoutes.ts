import { type Address, isHex } from "viem";
import { listingsOf, unitEther } from "../market/figuresOf.ts";
import type { BookOrder, Collection } from "../market/Market.ts";
import { addressOf, checkChain, collectionBySlug, hasOurChain, tokenOf } from "./find.ts";
import type { Office } from "./Office.ts";
import { pageOf } from "./pageOf.ts";
import { Refusal } from "./Refusal.ts";
import type { Asked, Route } from "./Route.ts";
import { renderOrder } from "./renderOrder.ts";
import { traitFilter } from "./traitFilter.ts";

type List = {
	name: "listings" | "offers";
	cursorName?: "after";
	position?(order: BookOrder): readonly number[];
};

const isOffer = ({ kind }: BookOrder): boolean => kind !== "listing";
const isOpen = ({ status }: BookOrder): boolean => status === "ACTIVE";
/** Orders newest first. */
const bySeq = (a: BookOrder, b: BookOrder): number => b.seq - a.seq;
const byBid = (a: BookOrder, b: BookOrder): number => unitEther(b) - unitEther(a) || a.seq - b.seq;

/** Routes of the order book. */
export const orderRoutes: readonly Route[] = [
	collectionList("/listings/collection/:slug/all", { name: "listings" }, (collection, asked) =>
		ofMaker(listingsOf(collection), asked.query).sort(bySeq),
	),
	{ method: "GET", path: "/listings/collection/:slug/best", answer: bestListings },
	{
		method: "GET",
		path: "/listings/collection/:slug/nfts/:identifier/best",
		answer(asked) {
			const { collection, id } = tokenAsked(asked);
			const best = listingsOf(collection).find(({ tokenId }) => tokenId === id);
			if (!best) throw new Refusal(404, "No listing found");
			return renderOrder(asked.office, collection, best);
		},
	},
	collectionList("/offers/collection/:slug/all", { name: "offers" }, (collection, { query }) =>
		ofMaker(offersOf(collection), query).sort(bySeq),
	),
	collectionList("/offers/collection/:slug", { name: "offers" }, (collection) =>
		offersOf(collection)
			.filter(({ kind }) => kind === "collection_offer")
			.sort(bySeq),
	),
	collectionList("/offers/collection/:slug/traits", { name: "offers" }, (collection, { query }) => {
		const [type, value] = [query.get("type"), query.get("value")];
		return offersOf(collection)
			.filter(({ kind }) => kind === "trait_offer")
			.filter(({ traits: [trait] }) => type === null || trait?.type === type)
			.filter(({ traits: [trait] }) => value === null || trait?.value === value)
			.sort(bySeq);
	}),
	{
		method: "GET",
		path: "/offers/collection/:slug/nfts/:identifier",
		answer(asked) {
			const { collection, id } = tokenAsked(asked);
			const fitting = offersFor(collection, id).sort(bySeq);
			return renderPage(asked, { name: "offers" }, fitting);
		},
	},
	{
		method: "GET",
		path: "/offers/collection/:slug/nfts/:identifier/best",
		answer(asked) {
			const { collection, id } = tokenAsked(asked);
			const [best] = offersFor(collection, id).sort(byBid);
			if (!best) throw new Refusal(404, "No offer found");
			return renderOrder(asked.office, collection, best);
		},
	},
	{
		method: "GET",
		path: "/orders/chain/:chain/protocol/:protocol/:hash",
		async answer({ office, params: [chain, protocol, hash] }) {
			checkChain(chain);
			addressOf(protocol);
			const order = orderByHash(office, hash);
			const collection = collectionBySlug(office, order.slug);
			return { order: await renderOrder(office, collection, order) };
		},
	},
	accountList("/account/:address/listings", { name: "listings" }, ({ kind, maker }, who) => {
		return kind === "listing" && maker === who;
	}),
	accountList("/account/:address/offers", { name: "offers" }, (order, who) => {
		return isOffer(order) && order.maker === who;
	}),
	accountList("/account/:address/offers_received", { name: "offers" }, (order, who, collection) => {
		if (order.tokenId === null || !isOffer(order)) return false;
		return collection.holders.get(order.tokenId)?.has(who) ?? false;
	}),
];

/** Returns an order; for an unknown one the provider answers 400, not 404. */
export function orderByHash(office: Office, hash: string | undefined): BookOrder {
	const order = isHex(hash) ? office.market().orders.get(hash) : undefined;
	if (!order) throw new Refusal(400, "Order not found");
	return order;
}

function collectionList(
	path: string,
	list: List,
	pick: (collection: Collection, asked: Asked) => BookOrder[],
): Route {
	return {
		method: "GET",
		path,
		answer(asked) {
			const collection = collectionBySlug(asked.office, asked.params[0]);
			return renderPage(asked, list, pick(collection, asked));
		},
	};
}

function accountList(
	path: string,
	list: List,
	fits: (order: BookOrder, who: Address, collection: Collection) => boolean,
): Route {
	return {
		method: "GET",
		path,
		answer(asked) {
			const who = addressOf(asked.params[0]);
			const all = hasOurChain(asked.query) ? asked.office.market().collections.values() : [];
			const own = [...all].flatMap((collection) =>
				[...collection.open].filter((order) => isOpen(order) && fits(order, who, collection)),
			);
			return renderPage(asked, { ...list, cursorName: "after" }, own.sort(bySeq));
		},
	};
}

async function bestListings(asked: Asked): Promise<unknown> {
	const { office, params, query } = asked;
	const collection = collectionBySlug(office, params[0]);
	const matches = traitFilter(query);
	let orders = listingsOf(collection);
	if (matches) {
		const ids = orders.flatMap(({ tokenId }) => (tokenId === null ? [] : [tokenId]));
		const metadata = await office.metadata.of(collection, ids);
		orders = orders.filter((_, n) => matches(metadata[n]?.traits ?? []));
	}
	const position = (order: BookOrder) => [unitEther(order), order.seq];
	return renderPage(asked, { name: "listings", position }, orders);
}

async function renderPage(
	{ office, query }: Asked,
	{ name, cursorName, position }: List,
	orders: readonly BookOrder[],
): Promise<unknown> {
	const page = pageOf(orders, {
		query,
		cursorName: cursorName ?? "next",
		limitDefault: 50,
		limitMax: 200,
		position: position ?? (({ seq }) => [-seq]),
	});
	const rendered = page.items.map((order) =>
		renderOrder(office, collectionBySlug(office, order.slug), order),
	);
	return { [name]: await Promise.all(rendered), ...(page.next && { next: page.next }) };
}

function tokenAsked({ office, params: [slug, identifier] }: Asked): {
	collection: Collection;
	id: bigint;
} {
	const collection = collectionBySlug(office, slug);
	return { collection, id: tokenOf(collection, identifier) };
}

function offersOf(collection: Collection): BookOrder[] {
	return [...collection.open].filter((order) => isOpen(order) && isOffer(order));
}

function offersFor(collection: Collection, id: bigint): BookOrder[] {
	return offersOf(collection).filter(({ kind, tokenId, traitIds }) => {
		if (kind === "collection_offer") return true;
		return kind === "trait_offer" ? traitIds.includes(id) : tokenId === id;
	});
}

function ofMaker(orders: BookOrder[], query: URLSearchParams): BookOrder[] {
	const text = query.get("maker");
	if (text === null) return orders;
	const maker = addressOf(text);
	return orders.filter((order) => order.maker === maker);
}
