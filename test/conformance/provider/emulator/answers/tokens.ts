// Answers the provider's routes of tokens, holders, traits and events.

import {
	type Answer,
	type Asked,
	limitOf,
	pageOf,
	questionOf,
	Refusal,
} from "#test/conformance/provider/emulator/Asked.ts";
import { collectionOf } from "#test/conformance/provider/emulator/answers/collections.ts";
import type {
	Price,
	WorldCollection,
	WorldEvent,
	WorldToken,
} from "#test/conformance/provider/world/World.ts";

type Place = { atS: number; number: number };

const PAGE = { cursorName: "next", limit: { usual: 50, max: 200 } } as const;

export const nftsOfCollection: Answer = (asked) => {
	const collection = collectionOf(asked.world, asked.path.slug);
	return nftPage(asked, collection, collection.tokens);
};

export const nftsOfContract: Answer = (asked) => {
	const { collection, place } = contractOf(asked);
	const tokens = collection.tokens.filter((token) => token.place.address === place.address);
	return nftPage(asked, collection, tokens);
};

export const oneNft: Answer = (asked) => {
	const { collection, place } = contractOf(asked);
	const token = collection.tokens.find(
		(one) => one.id === asked.path.identifier && one.place.address === place.address,
	);
	if (!token) throw new Refusal(404, "Nft not found");
	return {
		nft: {
			...renderNft(collection, token),
			is_suspicious: false,
			creator: "0x00000000000000000000000000000000000000aa",
			owners: [{ address: token.owner, quantity: 1, quantity_string: "1" }],
		},
	};
};

export const nftsBatch: Answer = ({ world, body }) => {
	const given = (body as { identifiers?: unknown } | null)?.identifiers;
	if (!Array.isArray(given)) throw new Refusal(400, "identifiers is required");
	const all = [...world.collections.values()].flatMap((collection) =>
		collection.tokens.map((token) => ({ collection, token })),
	);
	const nfts = given.flatMap(({ chain, contract_address: address, token_id: id }) => {
		const found = all.find(
			({ token }) =>
				token.place.chain === chain && token.place.address === address && token.id === id,
		);
		return found ? [renderNft(found.collection, found.token)] : [];
	});
	return { nfts };
};

export const oneContract: Answer = (asked) => {
	const { collection, place } = contractOf(asked);
	return {
		address: place.address,
		chain: place.chain,
		collection: collection.slug,
		contract_standard: place.standard,
		name: collection.name,
	};
};

export const collectionHolders: Answer = (asked) => {
	const { tokens } = collectionOf(asked.world, asked.path.slug);
	const counts = Map.groupBy(tokens, ({ owner }) => owner);
	const holders = [...counts].map(([address, owned]) => ({
		address,
		quantity: owned.length,
		percentage: (100 * owned.length) / tokens.length,
	}));
	holders.sort((a, b) => b.quantity - a.quantity);
	const limit = { usual: 20, max: 100 };
	const { items, ...rest } = pageOf(asked, holders, { cursorName: "cursor", limit });
	return { holders: items, ...rest };
};

export const collectionTraits: Answer = ({ world, path }) => {
	const categories: Record<string, string> = {};
	const counts: Record<string, Record<string, number>> = {};
	for (const { traits } of collectionOf(world, path.slug).tokens) {
		for (const { trait_type: type, value } of traits) {
			if (typeof value !== "string") continue;
			categories[type] = "string";
			counts[type] ??= {};
			counts[type][value] = (counts[type][value] ?? 0) + 1;
		}
	}
	return { categories, counts };
};

export const traitFloors: Answer = ({ world, path, nowMs }) => {
	const { tokens, orders, places } = collectionOf(world, path.slug);
	const floors = new Map<string, { price: number; row: unknown }>();
	for (const { kind, token, price, endS } of orders) {
		if (kind !== "listing" || !token || endS * 1_000 <= nowMs) continue;
		for (const { trait_type, value } of token.traits) {
			if (typeof value !== "string") continue;
			const symbol = price.coin.symbol;
			const key = JSON.stringify([trait_type, value, symbol]);
			const floor_price = Number(price.total) / 10 ** price.coin.decimals;
			const row = { trait_type, value, floor_price, payment_token_symbol: symbol };
			const known = floors.get(key);
			if (!known || known.price > floor_price) floors.set(key, { price: floor_price, row });
		}
	}
	const chain = (tokens[0]?.place ?? places[0])?.chain ?? "ethereum";
	const ordered = [...floors].sort(([a], [b]) => (a < b ? -1 : 1));
	return { chain, floors: ordered.map(([, { row }]) => row) };
};

const LIMIT = { usual: 50, max: 200 };

/** Newest first; a cursor stays at its event, however many new ones there are. */
export const collectionEvents: Answer = (asked) => {
	const collection = collectionOf(asked.world, asked.path.slug);
	const question = questionOf(asked);
	const cursor = asked.query.get("next");
	const from = cursor === null ? null : placeOf(asked.cursors.read(question, cursor));
	const limit = limitOf(asked, LIMIT);
	const wanted = collection.events.filter((event) => fits(event, asked));
	const rest = from === null ? wanted : wanted.filter((event) => isOlder(event, from));
	const shown = rest.slice(0, limit);
	const last = shown.at(-1);
	asked.shown.push(...shown.map(({ number }) => `${collection.slug} ${number}`));
	const hasMore = rest.length > limit && last !== undefined;
	return {
		asset_events: shown.map((event) => renderEvent(collection, event)),
		...(hasMore && { next: asked.cursors.make(question, `${last.atS} ${last.number}`) }),
	};
};

const SEAPORT = "0x0000000000000068f116a894984e2db1123eb395";

/** One event as the document's `SaleEvent` or `TransferEvent`. */
export function renderEvent(collection: WorldCollection, event: WorldEvent) {
	const { kind, atS, token, from, to, quantity, price, transaction, orderHash } = event;
	const common = {
		event_timestamp: atS,
		chain: token.place.chain,
		quantity,
		nft: renderNft(collection, token),
		...(transaction && { transaction }),
		...(orderHash && { order_hash: orderHash, protocol_address: SEAPORT }),
		...(price && { payment: payment(price) }),
	};
	if (kind === "sale") {
		return { event_type: "sale", ...common, closing_date: atS, seller: from, buyer: to };
	}
	return {
		event_type: kind,
		...common,
		transfer_type: kind,
		from_address: from,
		to_address: to,
	};
}

/** A token as the document's `Nft`. */
export function renderNft({ slug }: WorldCollection, token: WorldToken) {
	const { id, place, name, imageUrl, displayImageUrl, traits } = token;
	return {
		identifier: id,
		collection: slug,
		contract: place.address,
		token_standard: place.standard,
		name,
		description: `One of ${slug}`,
		...(imageUrl !== null && { image_url: imageUrl, original_image_url: imageUrl }),
		...(displayImageUrl !== null && { display_image_url: displayImageUrl }),
		metadata_url: `https://pictures.example/${slug}/${id}.json`,
		opensea_url: `https://marketplace.example/item/${place.chain}/${place.address}/${id}`,
		updated_at: "2026-11-01T00:00:00.000000",
		is_disabled: false,
		is_nsfw: false,
		traits,
	};
}

function payment({ total, coin: { address, decimals, symbol } }: Price) {
	return { quantity: total.toString(), token_address: address, decimals, symbol };
}

function nftPage(asked: Asked, collection: WorldCollection, tokens: readonly WorldToken[]) {
	const { items, ...rest } = pageOf(asked, tokens, PAGE);
	return { nfts: items.map((token) => renderNft(collection, token)), ...rest };
}

function contractOf({ world, path: { chain, address = "" } }: Asked) {
	for (const collection of world.collections.values()) {
		const place = collection.places.find(
			(one) => one.chain === chain && one.address === address.toLowerCase(),
		);
		if (place) return { collection, place };
	}
	throw new Refusal(404, `Contract ${address} not found`);
}

function fits({ kind, atS }: WorldEvent, { query, nowMs }: Asked): boolean {
	if (atS * 1_000 > nowMs) return false;
	const after = secondsOf(query, "after");
	const before = secondsOf(query, "before");
	const types = query.getAll("event_type").flatMap((text) => text.split(","));
	if (after !== null && atS <= after) return false;
	if (before !== null && atS >= before) return false;
	return types.length === 0 || types.includes(kind);
}

function secondsOf(query: URLSearchParams, name: string): number | null {
	const text = query.get(name);
	if (text === null) return null;
	if (!/^\d{1,15}$/.test(text)) throw new Refusal(400, `${name} must be a timestamp in seconds`);
	return Number(text);
}

function placeOf(text: string): Place {
	const [atS = 0, number = 0] = text.split(" ").map(Number);
	return { atS, number };
}

function isOlder(event: WorldEvent, { atS, number }: Place): boolean {
	return event.atS < atS || (event.atS === atS && event.number < number);
}
