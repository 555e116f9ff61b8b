import type { OfferItem } from "../order/Order.ts";
import type { Scene, Stall } from "./Scene.ts";

/** What a holder can sell in this block: a token, or units of an edition. */
export type Goods = { holder: number; id: bigint; units: bigint; item: OfferItem };

const TRIES = 10;

/** Picks unused goods and marks them as used; undefined if none is found. */
export function pickGoods(scene: Scene, stall: Stall): Goods | undefined {
	for (let n = 0; n < TRIES; n++) {
		const found =
			stall.plan.standard === "erc721" ? pickToken(scene, stall) : pickUnits(scene, stall);
		if (found) return found;
	}
	return undefined;
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
