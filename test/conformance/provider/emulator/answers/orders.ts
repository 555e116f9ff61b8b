// Answers the provider's routes of listings and offers.

import {
	type Answer,
	type Asked,
	pageOf,
	Refusal,
} from "#test/conformance/provider/emulator/Asked.ts";
import { collectionOf } from "#test/conformance/provider/emulator/answers/collections.ts";
import type { WorldCollection, WorldOrder } from "#test/conformance/provider/world/World.ts";

const PAGE = { cursorName: "next", limit: { usual: 50, max: 200 } } as const;
const ZONE = "0x0000000000000000000000000000000000000000";
const CONDUIT_KEY = "0x0000007b02230091a7ed01230072f7006a004d60a8d4e71d599b8104250f0000";
const SEAPORT = "0x0000000000000068f116a894984e2db1123eb395";
const FEE_RECIPIENT = "0x0000a26b00c1f0df003000390027140000faa719";
const ZERO_HASH = `0x${"0".repeat(64)}`;
/** What the marketplace keeps: 2.5 %. */
const FEE_PER_THOUSAND = 25n;

export const allListings: Answer = (asked) => {
	const collection = collectionOf(asked.world, asked.path.slug);
	return listingPage(asked, listingsOf(collection, asked));
};

/** The cheapest first, each listing by itself. */
export const bestListings: Answer = (asked) => {
	const listings = listingsOf(collectionOf(asked.world, asked.path.slug), asked);
	return listingPage(
		asked,
		listings.sort((a, b) => unitPrice(a) - unitPrice(b)),
	);
};

export const bestListingOfToken: Answer = (asked) => {
	const listings = listingsOf(collectionOf(asked.world, asked.path.slug), asked);
	const [best] = listings
		.filter(({ token }) => token?.id === asked.path.identifier)
		.sort((a, b) => unitPrice(a) - unitPrice(b));
	if (!best) throw new Refusal(404, "Order not found");
	return renderListing(best);
};

export const allOffers: Answer = (asked) => {
	const { orders, slug } = collectionOf(asked.world, asked.path.slug);
	const offers = orders.filter((order) => order.kind !== "listing" && stands(order, asked));
	const { items, ...rest } = pageOf(asked, offers, PAGE);
	return { offers: items.map((offer) => renderOffer(offer, slug)), ...rest };
};

export const collectionOffers: Answer = (asked) => {
	const { orders, slug } = collectionOf(asked.world, asked.path.slug);
	const offers = orders.filter((one) => one.kind === "collection_offer" && stands(one, asked));
	const { items, ...rest } = pageOf(asked, offers, PAGE);
	return { offers: items.map((offer) => renderOffer(offer, slug)), ...rest };
};

export const oneOrder: Answer = ({ world, path }) => {
	for (const { orders, slug } of world.collections.values()) {
		const order = orders.find(({ hash }) => hash === path.order_hash);
		if (!order) continue;
		return { order: order.kind === "listing" ? renderListing(order) : renderOffer(order, slug) };
	}
	throw new Refusal(400, "Order not found");
};

/** A listing as the document has it; its price is for all its units. */
function renderListing(order: WorldOrder) {
	return {
		...rendered(order),
		price: { current: priceOf(order) },
		type: "basic",
		asset: { identifier: order.token?.id ?? "0", contract: order.place.address },
	};
}

function renderOffer(order: WorldOrder, slug: string) {
	const { token, place } = order;
	return {
		...rendered(order),
		price: priceOf(order),
		...(token
			? { asset: { identifier: token.id, contract: place.address } }
			: { criteria: { collection: { slug }, contract: { address: place.address } } }),
	};
}

function rendered(order: WorldOrder) {
	return {
		order_hash: order.hash,
		chain: order.place.chain,
		protocol_data: { parameters: parametersOf(order) },
		protocol_address: SEAPORT,
		remaining_quantity: order.quantity,
		order_created_at: order.createdS,
		status: "ACTIVE",
	};
}

function priceOf({ price: { total, coin } }: WorldOrder) {
	return { currency: coin.symbol, decimals: coin.decimals, value: total.toString() };
}

function parametersOf(order: WorldOrder) {
	const { kind, price, place, token, maker, quantity, startS, endS } = order;
	const isListing = kind === "listing";
	const itemType = place.standard === "erc721" ? 2 : 3;
	const nft = {
		itemType: token ? itemType : itemType + 2,
		token: place.address,
		identifierOrCriteria: token?.id ?? "0",
		startAmount: String(quantity),
		endAmount: String(quantity),
	};
	const fee = (price.total * FEE_PER_THOUSAND) / 1_000n;
	const money = (amount: bigint) => ({
		itemType: /^0x0+$/.test(price.coin.address) ? 0 : 1,
		token: price.coin.address,
		identifierOrCriteria: "0",
		startAmount: amount.toString(),
		endAmount: amount.toString(),
	});
	const feeItem = { ...money(fee), recipient: FEE_RECIPIENT };
	return {
		offerer: maker,
		offer: isListing ? [nft] : [money(price.total)],
		consideration: isListing
			? [{ ...money(price.total - fee), recipient: maker }, feeItem]
			: [{ ...nft, recipient: maker }, feeItem],
		startTime: String(startS),
		endTime: String(endS),
		orderType: 0,
		zone: ZONE,
		zoneHash: ZERO_HASH,
		salt: "0x5a",
		conduitKey: CONDUIT_KEY,
		totalOriginalConsiderationItems: 2,
		counter: 0,
	};
}

function listingsOf({ orders }: WorldCollection, asked: Asked): WorldOrder[] {
	const isPrivateToo = asked.query.get("include_private_listings") === "true";
	return orders.filter((order) => {
		if (order.kind !== "listing" || !stands(order, asked)) return false;
		return order.taker === null || isPrivateToo;
	});
}

function stands({ startS, endS }: WorldOrder, { nowMs }: Asked): boolean {
	return startS * 1_000 <= nowMs && endS * 1_000 > nowMs;
}

function listingPage(asked: Asked, listings: readonly WorldOrder[]) {
	const { items, ...rest } = pageOf(asked, listings, PAGE);
	return { listings: items.map(renderListing), ...rest };
}

function unitPrice({ price: { total, coin }, quantity }: WorldOrder): number {
	return Number(total) / 10 ** coin.decimals / quantity;
}
