import { encodeFunctionData, zeroAddress } from "viem";
import { addresses } from "../addresses.ts";
import { conduitKey } from "../conduitKey.ts";
import type { SignedOrder } from "../order/Order.ts";
import { seaportAbi } from "../order/seaportAbi.ts";
import { signOrder } from "../order/signOrder.ts";
import { actorAt } from "./actorAt.ts";
import { addTx } from "./addTx.ts";
import { moveGoods } from "./moveGoods.ts";
import { nextSalt } from "./nextSalt.ts";
import { pickGoods } from "./pickGoods.ts";
import { priceOf } from "./priceOf.ts";
import type { Scene, Stall } from "./Scene.ts";
import { splitPayment } from "./splitPayment.ts";

/**
 * Plans a purchase of two or three listings of different sellers in one call
 * (fulfillAvailableOrders).
 */
export async function planSweep(scene: Scene, stall: Stall): Promise<boolean> {
	const buyer = scene.prng.int(scene.actors.length);
	const wanted = 2 + scene.prng.int(2);
	const artist = actorAt(scene, scene.world.collections.indexOf(stall.state)).address;
	const orders: SignedOrder[] = [];
	let total = 0n;
	for (let n = 0; n < wanted; n++) {
		const goods = pickGoods(scene, stall);
		if (!goods || goods.holder === buyer) continue;
		const price = priceOf(scene, stall) * goods.units;
		const seller = actorAt(scene, goods.holder);
		const consideration = splitPayment(price, {
			seller: seller.address,
			artist,
			token: zeroAddress,
		});
		const draft = { offer: [goods.item], consideration, salt: nextSalt(scene), nowS: scene.nowS };
		orders.push(await signOrder(seller, draft));
		moveGoods(scene, stall, { goods, to: buyer });
		total += price;
	}
	if (orders.length === 0) return false;
	const each = orders.map((_, index) => BigInt(index));
	const offers = each.map((orderIndex) => [{ orderIndex, itemIndex: 0n }]);
	const payments = each.flatMap((orderIndex) =>
		[0n, 1n, 2n].map((itemIndex) => [{ orderIndex, itemIndex }]),
	);
	const data = encodeFunctionData({
		abi: seaportAbi,
		functionName: "fulfillAvailableOrders",
		args: [orders, offers, payments, conduitKey, BigInt(orders.length)],
	});
	addTx(
		scene,
		{ actor: buyer, to: addresses.seaport, data, value: total, label: "sweep" },
		orders.length,
	);
	return true;
}
