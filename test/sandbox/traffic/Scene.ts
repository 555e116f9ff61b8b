// Holds one block of traffic while it is planned: actors, goods, transactions.

import { type Address, type Hex, zeroAddress } from "viem";
import type { CollectionPlan } from "../catalogue.ts";
import type { Prng } from "../createPrng.ts";
import { addresses } from "../knownContracts.ts";
import type { ConsiderationItem, OfferItem } from "../seaportOrder.ts";
import type { Actor, CollectionState, World } from "../World.ts";

export type PlannedTx = { actor: number; to: Hex; data: Hex; value: bigint; label: string };

/**
 * One block being planned.
 *
 * Nothing is used twice in a block: a token or a holder that was used can be used again from the
 * next block on, so no plan depends on the order of transactions within a block.
 */
export type Scene = {
	world: World;
	prng: Prng;
	actors: readonly Actor[];
	nowS: number;
	touched: Set<string>;
	txs: PlannedTx[];
};

/** A collection with its plan, as every planner takes it. */
export type Stall = { state: CollectionState; plan: CollectionPlan };

/** What a holder can sell in this block: a token, or units of an edition. */
export type Goods = { holder: number; id: bigint; units: bigint; item: OfferItem };

const TRIES = 10;

/** Returns the actor of an index; throws for an unknown one, a mistake of the planner. */
export function actorAt(scene: Scene, index: number): Actor {
	const actor = scene.actors[index];
	if (!actor) throw new Error(`no actor ${index}`);
	return actor;
}

/** Adds a transaction to the block and counts it under its label, and its sales under `sales`. */
export function addTx(scene: Scene, tx: PlannedTx, sales = 0): void {
	scene.txs.push(tx);
	count(scene, tx.label, 1);
	if (sales > 0) count(scene, "sales", sales);
}

/** Assigns goods to their next holder, who may not use them again in this block. */
export function moveGoods(scene: Scene, stall: Stall, move: { goods: Goods; to: number }): void {
	const { state, plan } = stall;
	const index = Number(move.goods.id) - 1;
	if (plan.standard === "erc721") {
		state.owners[index] = move.to;
		return;
	}
	const row = state.units[index];
	if (!row) throw new Error(`no edition ${index + 1} in ${state.key}`);
	row[move.goods.holder] = (row[move.goods.holder] ?? 0) - Number(move.goods.units);
	row[move.to] = (row[move.to] ?? 0) + Number(move.goods.units);
	scene.touched.add(`${state.key}/${index}/${move.to}`);
}

/**
 * Returns a salt that no order of this world has: equal orders of one offerer would share a hash.
 */
export function nextSalt(scene: Scene): bigint {
	scene.world.salt += 1;
	return BigInt(scene.world.seed >>> 0) * 2n ** 64n + BigInt(scene.world.salt);
}

/** Picks unused goods and marks them as used; undefined if none is found. */
export function pickGoods(scene: Scene, stall: Stall): Goods | undefined {
	for (let n = 0; n < TRIES; n++) {
		const found =
			stall.plan.standard === "erc721" ? pickToken(scene, stall) : pickUnits(scene, stall);
		if (found) return found;
	}
	return undefined;
}

/**
 * Returns an actor other than these: Seaport allows trading with oneself, but that is no market.
 */
export function pickOther(scene: Scene, ...not: number[]): number {
	let other = scene.prng.int(scene.actors.length);
	while (not.includes(other)) other = (other + 1) % scene.actors.length;
	return other;
}

/**
 * Returns one unit's price near the current one, in wei, with four decimals as people type them.
 */
export function priceOf(scene: Scene, { state }: Stall): bigint {
	const ether = Math.exp(state.logPrice + scene.prng.gauss() * 0.045);
	const steps = Math.max(10, Math.round(ether * 10_000));
	return BigInt(steps) * 10n ** 14n;
}

/**
 * Returns a price as a listing asks it: the seller's part, 1 % for the market, 5 % for the artist.
 */
export function splitPayment(
	priceUnits: bigint,
	to: { seller: Address; artist: Address; token: Address; multipleOf?: bigint },
): ConsiderationItem[] {
	// A partial fill takes a fraction of every item, and Seaport refuses one that is not whole.
	const step = to.multipleOf ?? 1n;
	const fee = (priceUnits / 100n / step) * step;
	const royalty = (priceUnits / 20n / step) * step;
	return [
		payment(priceUnits - fee - royalty, { recipient: to.seller, token: to.token }),
		payment(fee, { recipient: addresses.marketFee, token: to.token }),
		payment(royalty, { recipient: to.artist, token: to.token }),
	];
}

function count({ world }: Scene, label: string, by: number): void {
	world.counts[label] = (world.counts[label] ?? 0) + by;
}

function pickToken(scene: Scene, { state }: Stall): Goods | undefined {
	if (state.owners.length === 0) return undefined;
	const index = scene.prng.int(state.owners.length);
	const holder = state.owners[index];
	const mark = `${state.key}/${index}`;
	// Below 0: the owner is no actor.
	if (holder === undefined || holder < 0 || scene.touched.has(mark)) return undefined;
	scene.touched.add(mark);
	const id = BigInt(index + 1);
	const item = {
		itemType: 2,
		token: state.address,
		identifierOrCriteria: id,
		startAmount: 1n,
		endAmount: 1n,
	} as const;
	return { holder, id, units: 1n, item };
}

function pickUnits(scene: Scene, { state }: Stall): Goods | undefined {
	const index = scene.prng.int(state.units.length);
	const holder = scene.prng.int(scene.actors.length);
	const held = state.units[index]?.[holder] ?? 0;
	const mark = `${state.key}/${index}/${holder}`;
	if (held === 0 || scene.touched.has(mark)) return undefined;
	scene.touched.add(mark);
	const units = BigInt(1 + scene.prng.int(Math.min(held, 6)));
	const id = BigInt(index + 1);
	const item = {
		itemType: 3,
		token: state.address,
		identifierOrCriteria: id,
		startAmount: units,
		endAmount: units,
	} as const;
	return { holder, id, units, item };
}

function payment(amount: bigint, to: { recipient: Address; token: Address }): ConsiderationItem {
	return {
		itemType: to.token === zeroAddress ? 0 : 1,
		token: to.token,
		identifierOrCriteria: 0n,
		startAmount: amount,
		endAmount: amount,
		recipient: to.recipient,
	};
}
