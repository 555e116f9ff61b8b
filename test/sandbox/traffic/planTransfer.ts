import { encodeFunctionData } from "viem";
import { tokenAbi } from "../tokenAbi.ts";
import { actorAt } from "./actorAt.ts";
import { addTx } from "./addTx.ts";
import { moveGoods } from "./moveGoods.ts";
import { pickGoods } from "./pickGoods.ts";
import { pickOther } from "./pickOther.ts";
import type { Scene, Stall } from "./Scene.ts";

/** Plans a plain transfer, without the market. */
export function planTransfer(scene: Scene, stall: Stall): void {
	const goods = pickGoods(scene, stall);
	if (!goods) return;
	const taker = pickOther(scene, goods.holder);
	const from = actorAt(scene, goods.holder).address;
	const to = actorAt(scene, taker).address;
	const functionName = "safeTransferFrom";
	const data =
		stall.plan.standard === "erc721"
			? encodeFunctionData({ abi: tokenAbi, functionName, args: [from, to, goods.id] })
			: encodeFunctionData({
					abi: tokenAbi,
					functionName,
					args: [from, to, goods.id, goods.units, "0x"],
				});
	addTx(scene, {
		actor: goods.holder,
		to: stall.state.address,
		data,
		value: 0n,
		label: "transfer",
	});
	moveGoods(scene, stall, { goods, to: taker });
}
