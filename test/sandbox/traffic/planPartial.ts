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
import { priceOf } from "./priceOf.ts";
import type { Scene, Stall } from "./Scene.ts";
import { splitPayment } from "./splitPayment.ts";

/**
 * Plans a sale of some units of a larger ERC-1155 listing: the log has the filled part, the order
 * all.
 */
export async function planPartial(scene: Scene, stall: Stall): Promise<boolean> {
	if (stall.plan.standard !== "erc1155") return false;
	const goods = pickGoods(scene, stall);
	if (!goods) return false;
	const listed = goods.units + BigInt(1 + scene.prng.int(8));
	const unitPrice = priceOf(scene, stall);
	const seller = actorAt(scene, goods.holder);
	const buyer = pickOther(scene, goods.holder);
	const artist = actorAt(scene, scene.world.collections.indexOf(stall.state)).address;
	const order = await signOrder(seller, {
		// More may be listed than is held: only the filled part must exist.
		offer: [{ ...goods.item, startAmount: listed, endAmount: listed }],
		consideration: splitPayment(unitPrice * listed, {
			seller: seller.address,
			artist,
			token: zeroAddress,
			multipleOf: listed,
		}),
		salt: nextSalt(scene),
		nowS: scene.nowS,
		partial: true,
	});
	const part = { ...order, numerator: goods.units, denominator: listed, extraData: "0x" } as const;
	const data = encodeFunctionData({
		abi: seaportAbi,
		functionName: "fulfillAdvancedOrder",
		args: [part, [], conduitKey, zeroAddress],
	});
	const value = unitPrice * goods.units;
	addTx(scene, { actor: buyer, to: addresses.seaport, data, value, label: "listing partial" }, 1);
	moveGoods(scene, stall, { goods, to: buyer });
	return true;
}
