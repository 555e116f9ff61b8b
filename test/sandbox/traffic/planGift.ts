import { encodeFunctionData, zeroAddress } from "viem";
import { addresses } from "../addresses.ts";
import { conduitKey } from "../conduitKey.ts";
import { seaportAbi } from "../order/seaportAbi.ts";
import { signOrder } from "../order/signOrder.ts";
import { actorAt } from "./actorAt.ts";
import { addTx } from "./addTx.ts";
import { moveGoods } from "./moveGoods.ts";
import { nextSalt } from "./nextSalt.ts";
import { pickGoods } from "./pickGoods.ts";
import { pickOther } from "./pickOther.ts";
import type { Scene, Stall } from "./Scene.ts";

/** Plans an order that asks for nothing: it has an OrderFulfilled but is no sale. */
export async function planGift(scene: Scene, stall: Stall): Promise<boolean> {
	const goods = pickGoods(scene, stall);
	if (!goods) return false;
	const taker = pickOther(scene, goods.holder);
	const order = await signOrder(actorAt(scene, goods.holder), {
		offer: [goods.item],
		consideration: [],
		salt: nextSalt(scene),
		nowS: scene.nowS,
	});
	const whole = { ...order, numerator: 1n, denominator: 1n, extraData: "0x" } as const;
	const data = encodeFunctionData({
		abi: seaportAbi,
		functionName: "fulfillAdvancedOrder",
		args: [whole, [], conduitKey, zeroAddress],
	});
	addTx(scene, { actor: taker, to: addresses.seaport, data, value: 0n, label: "gift" });
	moveGoods(scene, stall, { goods, to: taker });
	return true;
}
