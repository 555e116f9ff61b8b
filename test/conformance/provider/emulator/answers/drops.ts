// Answers the provider's routes of drops and its search.

import {
	type Answer,
	type Asked,
	limitOf,
	pageOf,
	Refusal,
} from "#test/conformance/provider/emulator/Asked.ts";
import {
	chainsAsked,
	collectionOf,
} from "#test/conformance/provider/emulator/answers/collections.ts";
import {
	coins,
	type WorldCollection,
	type WorldDrop,
	type WorldStage,
} from "#test/conformance/provider/world/World.ts";

type Announced = WorldCollection & { drop: WorldDrop };

export const listDrops: Answer = (asked) => {
	const type = asked.query.get("type") ?? "featured";
	const chains = chainsAsked(asked);
	const all = [...asked.world.collections.values()].filter((one): one is Announced => {
		return one.drop !== null && (!chains || one.places.some(({ chain }) => chains.includes(chain)));
	});
	const listed = all.filter(({ drop }) => belongsTo(type, drop, asked));
	const limit = { usual: 20, max: 100 };
	const { items, ...rest } = pageOf(asked, listed, { cursorName: "cursor", limit });
	return { drops: items.map((one) => rendered(one, asked)), ...rest };
};

export const oneDrop: Answer = (asked) => {
	const collection = collectionOf(asked.world, asked.path.slug);
	const { drop } = collection;
	if (!drop) throw new Refusal(404, `Drop ${collection.slug} not found`);
	return {
		...rendered({ ...collection, drop }, asked),
		stages: drop.stages.map(renderStage),
		total_supply: drop.totalSupply,
		max_supply: drop.maxSupply,
	};
};

/** Collections whose name or slug contains the text; no paging, as the document has none. */
export const searchAll: Answer = (asked) => {
	const text = asked.query.get("query")?.toLowerCase();
	if (!text) throw new Refusal(400, "query is required");
	const chains = asked.query.getAll("chains").flatMap((one) => one.split(","));
	const limit = limitOf(asked, { usual: 20, max: 50 });
	const found = [...asked.world.collections.values()].filter(({ name, slug, places }) => {
		const isThere = chains.length === 0 || places.some(({ chain }) => chains.includes(chain));
		return isThere && (name.toLowerCase().includes(text) || slug.includes(text));
	});
	return {
		results: found.slice(0, limit).map(({ slug, name, imageUrl }) => ({
			type: "collection",
			collection: {
				collection: slug,
				name,
				image_url: imageUrl,
				is_disabled: false,
				is_nsfw: false,
				opensea_url: `https://marketplace.example/collection/${slug}`,
			},
		})),
	};
};

function belongsTo(type: string, { stages }: WorldDrop, { nowMs }: Asked): boolean {
	if (type === "featured") return true;
	const hasBegun = stages.some(({ startS }) => startS * 1_000 <= nowMs);
	return type === "upcoming" ? !hasBegun : hasBegun;
}

function rendered({ slug, name, imageUrl, places, drop }: Announced, { nowMs }: Asked) {
	const active = drop.stages.find(
		({ startS, endS }) => startS * 1_000 <= nowMs && endS * 1_000 > nowMs,
	);
	const next = drop.stages
		.filter(({ startS }) => startS * 1_000 > nowMs)
		.sort((a, b) => a.startS - b.startS)[0];
	const [place] = places;
	if (!place) throw new Refusal(404, `Drop ${slug} not found`);
	return {
		collection_slug: slug,
		collection_name: name,
		chain: place.chain,
		contract_address: place.address,
		drop_type: "seadrop_v1_erc721",
		is_minting: active !== undefined,
		image_url: imageUrl,
		opensea_url: `https://marketplace.example/drops/${slug}`,
		...(active && { active_stage: renderStage(active) }),
		...(!active && next && { next_stage: renderStage(next) }),
	};
}

function renderStage({ uuid, type, label, price, coin = coins.eth, startS, endS }: WorldStage) {
	return {
		uuid,
		stage_type: type,
		label,
		price: price.toString(),
		price_currency_address: coin.address,
		start_time: new Date(startS * 1_000).toISOString(),
		end_time: new Date(endS * 1_000).toISOString(),
		max_per_wallet: "10",
	};
}
