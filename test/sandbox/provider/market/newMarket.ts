import type { Address } from "viem";
import { ether } from "../chain/readCurrency.ts";
import type { Collection, ContractFacts, Currency, Market } from "./Market.ts";

/** Returns a market before its first block. */
export function newMarket(): Market {
	return {
		collections: new Map(),
		byAddress: new Map(),
		currencies: new Map<Address, Currency>([[ether.address, ether]]),
		orders: new Map(),
		retired: new Set(),
		head: { number: -1, hash: "", timeS: 0 },
		seq: 0,
	};
}

/** Adds a collection to the market under its name; if the name is taken, with a number. */
export function addCollection(market: Market, facts: ContractFacts, createdS: number): Collection {
	const wanted = slugOf(facts.name) || facts.address;
	let slug = wanted;
	for (let n = 2; market.collections.has(slug); n++) slug = `${wanted}-${n}`;
	const collection: Collection = {
		slug,
		facts,
		createdS,
		ids: [],
		holders: new Map(),
		units: 0n,
		logPrice: null,
		totals: { sales: 0, ether: 0 },
		sales: [],
		events: [],
		open: new Set(),
	};
	market.collections.set(slug, collection);
	market.byAddress.set(facts.address, collection);
	return collection;
}

function slugOf(name: string): string {
	return name
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, "-")
		.replaceAll(/^-+|-+$/g, "")
		.slice(0, 80);
}
