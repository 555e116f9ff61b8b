// Answers the provider's routes of listings, offers and fulfilments.

import { type Address, isHex, zeroAddress } from "viem";
import { z } from "zod";
import { addresses } from "../../knownContracts.ts";
import { fulfilmentOf } from "../book/fulfilment.ts";
import { type BookOrder, type Collection, listingsOf, unitEther } from "../market/Market.ts";
import {
	type Asked,
	addressOf,
	CHAIN,
	CHAIN_ID,
	checkChain,
	collectionBySlug,
	hasOurChain,
	type Office,
	pageOf,
	Refusal,
	type Route,
	tokenOf,
	traitFilter,
} from "./Office.ts";
import { renderOrder, renderParameters } from "./render.ts";

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

const Named = z.object({ hash: z.string(), chain: z.string(), protocol_address: z.string() });
const Body = z.object({
	listing: Named.optional(),
	offer: Named.optional(),
	fulfiller: z.object({ address: z.string() }),
	consideration: z
		.object({ asset_contract_address: z.string(), token_id: z.string().regex(/^\d{1,78}$/) })
		.optional(),
	recipient: z.string().optional(),
	units_to_fill: z.union([z.int().min(1), z.string().regex(/^[1-9]\d{0,18}$/)]).optional(),
});
type Body = z.infer<typeof Body>;

/** Attribution after the calldata; Seaport ignores it. */
const CALLDATA_SUFFIX = "0x5a4db0c5";

/** Routes that return how to fill an order of the book on chain. */
export const fulfilmentRoutes: readonly Route[] = [
	{
		method: "POST",
		path: "/listings/fulfillment_data",
		answer: (asked) => fulfil(asked, "listing"),
	},
	{ method: "POST", path: "/offers/fulfillment_data", answer: (asked) => fulfil(asked, "offer") },
];

/** Returns an order; for an unknown one the provider answers 400, not 404. */
function orderByHash(office: Office, hash: string | undefined): BookOrder {
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

async function fulfil(asked: Asked, side: "listing" | "offer"): Promise<unknown> {
	const { office } = asked;
	const body = Body.safeParse(asked.body);
	const named = body.data?.[side];
	if (!body.data || !named) throw new Refusal(400, "Invalid request");
	if (named.chain !== CHAIN) throw new Refusal(400, `Chain ${named.chain} is not supported`);
	if (addressOf(named.protocol_address) !== addresses.seaport.toLowerCase()) {
		throw new Refusal(400, "The protocol_address is not a supported Seaport contract");
	}
	const order = orderByHash(office, named.hash);
	if ((order.kind === "listing") !== (side === "listing"))
		throw new Refusal(400, "Order not found");
	if (order.status !== "ACTIVE") throw new Refusal(400, `Order is ${order.status.toLowerCase()}`);
	const signature = await office.signatures.of(order);
	if (!signature) throw new Refusal(400, "Order has no signature");
	const call = fulfilmentOf(order, { signature, ...fillingOf(asked, body.data, order) });
	return {
		protocol: "seaport1.6",
		fulfillment_data: {
			transaction: {
				function: call.function,
				chain: CHAIN_ID,
				to: call.to,
				value: String(call.value),
				input_data: call.input,
				calldata_suffix: CALLDATA_SUFFIX,
			},
			orders: [{ parameters: renderParameters(order.parameters, "hex"), signature }],
		},
	};
}

function fillingOf({ office }: Asked, body: Body, order: BookOrder) {
	const fulfiller = addressOf(body.fulfiller.address);
	const recipient = body.recipient === undefined ? fulfiller : addressOf(body.recipient);
	const units = BigInt(body.units_to_fill ?? order.remaining);
	if (units > order.remaining) throw new Refusal(400, "units_to_fill exceeds what is left");
	const collection = collectionBySlug(office, order.slug);
	const tokenId = body.consideration ? BigInt(body.consideration.token_id) : null;
	if (order.kind === "collection_offer" || order.kind === "trait_offer") {
		if (tokenId === null) throw new Refusal(400, "consideration is required");
		if (order.traitIds.length > 0 && !order.traitIds.includes(tokenId)) {
			throw new Refusal(400, "The token does not fit the offer's criteria");
		}
	}
	const sold = order.tokenId ?? tokenId;
	if (order.kind !== "listing" && sold !== null) {
		const held = collection.holders.get(sold)?.get(fulfiller) ?? 0n;
		if (held < units) throw new Refusal(400, "The fulfiller does not own the token");
	}
	return {
		units,
		recipient: recipient === fulfiller ? zeroAddress : recipient,
		tokenId: order.tokenId === null ? tokenId : null,
	};
}
