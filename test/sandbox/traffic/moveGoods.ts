import type { Goods } from "./pickGoods.ts";
import type { Scene, Stall } from "./Scene.ts";

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
