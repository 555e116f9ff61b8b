import type { Answer, Asked } from "#test/conformance/provider/emulator/Asked.ts";
import {
	chainsAsked,
	collectionOf,
} from "#test/conformance/provider/emulator/answers/collections.ts";
import { pageOf } from "#test/conformance/provider/emulator/paging.ts";
import { Refusal } from "#test/conformance/provider/emulator/Refusal.ts";
import { coins } from "#test/conformance/provider/world/coins.ts";
import type {
	WorldCollection,
	WorldDrop,
	WorldStage,
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
