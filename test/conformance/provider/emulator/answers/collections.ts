// Answers the provider's routes of collections, chains and payment tokens.

import {
	type Answer,
	type Asked,
	pageOf,
	Refusal,
} from "#test/conformance/provider/emulator/Asked.ts";
import {
	type Coin,
	coins,
	type WorldCollection,
	type WorldEvent,
} from "#test/conformance/provider/world/World.ts";

const INTERVALS = [
	["one_day", 1],
	["seven_days", 7],
	["thirty_days", 30],
] as const;

const SUPPORTED = ["ethereum", "base", "ape_chain", "zora"];

export const listCollections: Answer = (asked) => {
	const chain = asked.query.get("chain");
	const all = [...asked.world.collections.values()].filter((one) => isOn(one, chain));
	const orderBy = asked.query.get("order_by") ?? "created_date";
	const ordered = all.sort((a, b) => sortKey(b, orderBy, asked) - sortKey(a, orderBy, asked));
	return collectionPage(asked, ordered, { cursorName: "next", limit: { usual: 50, max: 100 } });
};

export const trendingCollections: Answer = (asked) => {
	const ordered = ofChains(asked).sort((a, b) => daySales(b, asked) - daySales(a, asked));
	return collectionPage(asked, ordered, { cursorName: "cursor", limit: { usual: 20, max: 100 } });
};

export const topCollections: Answer = (asked) => {
	const ordered = ofChains(asked).sort((a, b) => dayVolume(b, asked) - dayVolume(a, asked));
	return collectionPage(asked, ordered, { cursorName: "cursor", limit: { usual: 50, max: 100 } });
};

export const oneCollection: Answer = ({ world, path }) => {
	const collection = collectionOf(world, path.slug);
	const { claims, tokens, createdMs, places } = collection;
	const [chain = "ethereum"] = places.map((place) => place.chain);
	return {
		...rendered(collection),
		editors: [],
		fees: [{ fee: 2.5, recipient: FEE_RECIPIENT, required: true }],
		total_supply: claims.totalSupply ?? tokens.length,
		unique_item_count: claims.totalSupply ?? tokens.length,
		created_date: new Date(createdMs).toISOString().slice(0, 10),
		pricing_currencies: {
			listing_currency: paymentToken(coins.eth, chain),
			offer_currency: paymentToken(coins.wethOnBase, chain),
		},
	};
};

export const collectionsBatch: Answer = ({ world, body }) => {
	const slugs = (body as { slugs?: unknown } | null)?.slugs;
	if (!Array.isArray(slugs)) throw new Refusal(400, "slugs is required");
	const known = slugs.flatMap((slug) => world.collections.get(slug) ?? []);
	return { collections: known.map(rendered) };
};

export const collectionStats: Answer = ({ world, path, nowMs }) =>
	statsOf(collectionOf(world, path.slug), nowMs);

const FEE_RECIPIENT = "0x0000a26b00c1f0df003000390027140000faa719";

export const listChains: Answer = () => ({
	chains: ["ethereum", "base", "ape_chain", "zora"].map((chain) => ({
		chain,
		name: chain,
		symbol: chain === "ape_chain" ? "APE" : "ETH",
		supports_swaps: true,
		block_explorer: "Explorer",
		block_explorer_url: `https://${chain}.explorer.example`,
	})),
});

export const onePaymentToken: Answer = ({ path: { chain = "", address = "" } }) => {
	const coin = Object.values(coins).find((one) => one.address === address.toLowerCase());
	if (!coin) throw new Refusal(404, `Token ${address} not found`);
	return paymentToken(coin, chain);
};

/** A collection's figures as the provider tells them: from its own events, or as it claims. */
export function statsOf({ events, orders, tokens, claims }: WorldCollection, nowMs: number) {
	const nowS = Math.floor(nowMs / 1_000);
	const sales = events.filter(({ kind, atS }) => kind === "sale" && atS <= nowS);
	const listings = orders.filter(
		({ kind, endS, taker }) => kind === "listing" && endS > nowS && taker === null,
	);
	const asks = listings.map(({ price, quantity }) => ({
		price: wholeCoins(price) / quantity,
		symbol: price.coin.symbol,
	}));
	const cheapest = asks.reduce<(typeof asks)[number] | null>(
		(best, ask) => (best === null || ask.price < best.price ? ask : best),
		null,
	);
	const floor = claims.floor ?? cheapest ?? { price: 0, symbol: "" };
	return {
		total: {
			...sumOf(sales, claims.total),
			num_owners: claims.owners ?? new Set(tokens.map(({ owner }) => owner)).size,
			floor_price: floor.price,
			floor_price_symbol: floor.symbol,
		},
		intervals: INTERVALS.map(([interval, days]) => ({
			interval,
			...sumOf(
				sales.filter(({ atS }) => atS > nowS - days * 86_400),
				interval === "one_day" ? claims.day : undefined,
			),
		})),
	};
}

/** The collection of a slug, or the document's 404. */
export function collectionOf(world: Asked["world"], slug = ""): WorldCollection {
	const collection = world.collections.get(slug);
	if (!collection) throw new Refusal(404, `Collection with slug ${slug} not found`);
	return collection;
}

export function paymentToken(coin: Coin, chain: string) {
	return {
		symbol: coin.symbol,
		address: coin.address,
		chain,
		image: `https://pictures.example/coins/${coin.symbol}.png`,
		name: coin.symbol,
		decimals: coin.decimals,
		eth_price: coin.symbol === "USDC" ? "0.0004" : "1.0",
		usd_price: coin.symbol === "USDC" ? "1.0" : "2500.0",
	};
}

/** `chains` of a query; unknown ones are left out, and only unknown ones are refused. */
export function chainsAsked({ query }: Asked): string[] | null {
	const given = query.getAll("chains").flatMap((text) => text.split(","));
	if (given.length === 0) return null;
	const known = given.filter((chain) => SUPPORTED.includes(chain));
	if (known.length === 0) throw new Refusal(400, "No supported chain was given");
	return known;
}

function wholeCoins({ total, coin }: { total: bigint; coin: { decimals: number } }): number {
	return Number(total) / 10 ** coin.decimals;
}

function sumOf(
	sales: readonly WorldEvent[],
	claimed: { volume: number; volumeSymbol: string; sales: number } | undefined,
) {
	if (claimed) {
		const { volumeSymbol, ...rest } = claimed;
		return { ...rest, volume_symbol: volumeSymbol };
	}
	const priced = sales.flatMap(({ price }) => price ?? []);
	const [first] = priced;
	const symbol = first?.coin.symbol === "WETH" ? "ETH" : (first?.coin.symbol ?? "ETH");
	return {
		volume: priced.reduce((sum, price) => sum + wholeCoins(price), 0),
		volume_symbol: symbol,
		sales: sales.length,
	};
}

function rendered({ slug, name, description, imageUrl, places }: WorldCollection) {
	return {
		collection: slug,
		name,
		description,
		image_url: imageUrl,
		banner_image_url: `${imageUrl}?banner`,
		owner: "0x00000000000000000000000000000000000000aa",
		safelist_status: "not_requested",
		category: "art",
		is_disabled: false,
		is_nsfw: false,
		trait_offers_enabled: true,
		collection_offers_enabled: true,
		opensea_url: `https://marketplace.example/collection/${slug}`,
		project_url: `https://${slug}.example`,
		contracts: places.map(({ address, chain }) => ({ address, chain })),
	};
}

function collectionPage(
	asked: Asked,
	ordered: readonly WorldCollection[],
	options: Parameters<typeof pageOf>[2],
) {
	const { items, ...rest } = pageOf(asked, ordered, options);
	return { collections: items.map(rendered), ...rest };
}

function isOn({ places }: WorldCollection, chain: string | null): boolean {
	return chain === null || places.some((place) => place.chain === chain);
}

function ofChains(asked: Asked): WorldCollection[] {
	const chains = chainsAsked(asked);
	const all = [...asked.world.collections.values()];
	return chains ? all.filter((one) => chains.some((chain) => isOn(one, chain))) : all;
}

function daySales(collection: WorldCollection, { nowMs }: Asked): number {
	return statsOf(collection, nowMs).intervals[0]?.sales ?? 0;
}

function dayVolume(collection: WorldCollection, { nowMs }: Asked): number {
	return statsOf(collection, nowMs).intervals[0]?.volume ?? 0;
}

function sortKey(collection: WorldCollection, orderBy: string, asked: Asked): number {
	if (orderBy === "created_date") return collection.createdMs;
	return orderBy.endsWith("volume") ? dayVolume(collection, asked) : daySales(collection, asked);
}
