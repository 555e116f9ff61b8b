// Makes the provider's whole market from a seed.

import {
	addBusyCollection,
	DAY_S,
	type Growing,
	growingIn,
	list,
	placeOf,
	trade,
} from "#test/conformance/provider/world/growCollection.ts";
import { oddCollections } from "#test/conformance/provider/world/oddCollections.ts";
import { addressOf, coins, type World } from "#test/conformance/provider/world/World.ts";

export type WorldOptions = {
	seed: number;
	nowMs: number;
	/** Sales a day of each busy collection. */
	busy?: readonly number[];
	/** Small collections beside the named ones, so that lists have pages. */
	minor?: number;
	/** Leaves out the collections that each show one point, for a world of busy ones only. */
	busyOnly?: boolean;
	/** The slugs that are left of all. */
	only?: readonly string[];
};

/**
 * Makes the provider's whole market from a seed: who has what, what happened and what is for sale.
 * Nothing of it is computed by the product.
 */
export function makeWorld(options: WorldOptions): World {
	const { seed, nowMs, busy = [], minor = 0, busyOnly = false, only } = options;
	const world: World = { seed, madeMs: nowMs, collections: new Map() };
	const growing = growingIn(world, nowMs);
	if (!busyOnly) {
		plainCollections(growing);
		severalContracts(growing);
		drops(growing);
		oddCollections(growing);
	}
	for (let at = 1; at <= minor; at++) minorCollection(growing, at);
	for (const [at, salesADay] of busy.entries()) {
		addBusyCollection(growing, { slug: `rush-${at + 1}`, salesADay });
	}
	for (const slug of world.collections.keys()) {
		if (only && !only.includes(slug)) world.collections.delete(slug);
	}
	return world;
}

function plainCollections(growing: Growing): void {
	const { grow } = growing;
	const onBase = (slug: string) => [placeOf(slug, "base")];
	const lanterns = grow({
		slug: "copper-lanterns",
		places: onBase("copper-lanterns"),
		tokens: 40,
	});
	trade(lanterns, { sales: 60, overS: 30 * 3_600, coin: coins.eth }, growing);
	list(lanterns, { listings: 12, offers: 6, coin: coins.eth }, growing);

	const moons = grow({ slug: "paper-moons", places: onBase("paper-moons"), tokens: 8 });
	trade(moons, { sales: 5, overS: 20 * 3_600, coin: coins.wethOnBase }, growing);

	const glory = grow({ slug: "old-glory", places: onBase("old-glory"), tokens: 6 });
	trade(glory, { sales: 9, overS: 5 * DAY_S, coin: coins.eth, from: 3 * DAY_S }, growing);
	list(glory, { listings: 2, coin: coins.eth }, growing);

	grow({ slug: "silent-garden", places: onBase("silent-garden"), tokens: 5 });

	const tiles = grow({ slug: "usdc-tiles", places: onBase("usdc-tiles"), tokens: 7 });
	trade(tiles, { sales: 6, overS: 18 * 3_600, coin: coins.usdcOnBase }, growing);
	list(tiles, { listings: 3, coin: coins.usdcOnBase }, growing);

	const mixed = grow({ slug: "mixed-money", places: onBase("mixed-money"), tokens: 9 });
	trade(mixed, { sales: 8, overS: 20 * 3_600, coin: coins.eth }, growing);
	trade(mixed, { sales: 3, overS: 10 * 3_600, coin: coins.usdcOnBase, from: 200 }, growing);
	list(mixed, { listings: 4, coin: coins.eth }, growing);

	const far = grow({ slug: "far-shore", places: [placeOf("far-shore", "ethereum")], tokens: 6 });
	trade(far, { sales: 7, overS: 12 * 3_600, coin: coins.wethOnEthereum }, growing);
	list(far, { listings: 3, coin: coins.eth }, growing);

	const notes = grow({ slug: "ape-notes", places: [placeOf("ape-notes", "ape_chain")], tokens: 6 });
	trade(notes, { sales: 4, overS: 12 * 3_600, coin: coins.ape }, growing);
	list(notes, { listings: 2, coin: coins.ape }, growing);

	const zora = grow({
		slug: "zora-postcards",
		places: [placeOf("zora-postcards", "zora")],
		tokens: 4,
	});
	trade(zora, { sales: 3, overS: 3_600, coin: coins.eth }, growing);
}

function severalContracts(growing: Growing): void {
	const shores = growing.grow({
		slug: "two-shores",
		places: [placeOf("two-shores", "base"), placeOf("two-shores", "ethereum")],
		tokens: 10,
	});
	trade(shores, { sales: 12, overS: 20 * 3_600, coin: coins.eth }, growing);
	list(shores, { listings: 6, coin: coins.eth }, growing);

	const east = { ...placeOf("twin-halls", "base"), address: addressOf("twin-halls east") };
	const west = { ...placeOf("twin-halls", "base"), address: addressOf("twin-halls west") };
	const halls = growing.grow({ slug: "twin-halls", places: [east, west], tokens: 8 });
	trade(halls, { sales: 6, overS: 20 * 3_600, coin: coins.eth }, growing);
	list(halls, { listings: 4, coin: coins.eth }, growing);
}

function drops(growing: Growing): void {
	const { nowS } = growing;
	const hour = 3_600;
	for (const [slug, startS, endS, minted] of [
		["kites-to-come", nowS + 5 * hour, nowS + 9 * hour, 0],
		["kites-minting", nowS - hour, nowS + 9 * hour, 4],
		["kites-gone", nowS - 50 * hour, nowS - 40 * hour, 6],
	] as const) {
		const ageDays = 3;
		const collection = growing.grow({
			slug,
			places: [placeOf(slug, "base")],
			tokens: minted,
			ageDays,
		});
		collection.claims = { owners: 0, totalSupply: minted };
		const stage = {
			uuid: `stage-of-${slug}`,
			type: "public_sale",
			label: "Everybody",
			price: 2n * 10n ** 16n,
		};
		collection.drop = {
			stages: [{ ...stage, startS, endS }],
			totalSupply: String(minted),
			maxSupply: slug === "kites-gone" ? "6" : "500",
		};
	}
}

function minorCollection(growing: Growing, at: number): void {
	const slug = `minor-${String(at).padStart(3, "0")}`;
	const collection = growing.grow({ slug, places: [placeOf(slug, "base")], tokens: 2 });
	trade(collection, { sales: 1 + (at % 3), overS: 6 * 3_600, coin: coins.eth }, growing);
	list(collection, { listings: 1, coin: coins.eth }, growing);
}
