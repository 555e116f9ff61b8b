import type { Answer, Asked } from "#test/conformance/provider/emulator/Asked.ts";
import { collectionOf } from "#test/conformance/provider/emulator/answers/collections.ts";
import { pageOf } from "#test/conformance/provider/emulator/paging.ts";
import { Refusal } from "#test/conformance/provider/emulator/Refusal.ts";
import type { WorldCollection, WorldToken } from "#test/conformance/provider/world/World.ts";

const PAGE = { cursorName: "next", limit: { usual: 50, max: 200 } } as const;

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
