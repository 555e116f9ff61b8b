import { encodeFunctionData, type Hex, zeroAddress } from "viem";
import { addresses } from "../addresses.ts";
import { conduitKey } from "../conduitKey.ts";
import { basicParameters } from "../order/basicParameters.ts";
import type { ConsiderationItem, SignedOrder } from "../order/Order.ts";
import { seaportAbi } from "../order/seaportAbi.ts";
import { signOrder } from "../order/signOrder.ts";
import { actorAt } from "./actorAt.ts";
import { addTx } from "./addTx.ts";
import { moveGoods } from "./moveGoods.ts";
import { nextSalt } from "./nextSalt.ts";
import { type Goods, pickGoods } from "./pickGoods.ts";
import { pickOther } from "./pickOther.ts";
import { priceOf } from "./priceOf.ts";
import type { Scene, Stall } from "./Scene.ts";
import { splitPayment } from "./splitPayment.ts";

/** Plans an accepted WETH offer, for one item or for any of the collection (criteria 0). */
export async function planOffer(scene: Scene, stall: Stall, wide: boolean): Promise<boolean> {
	const goods = pickGoods(scene, stall);
	if (!goods) return false;
	const criteria = wide && stall.plan.standard === "erc721";
	const bidder = pickOther(scene, goods.holder);
	// Offers are below the current price.
	const price = ((priceOf(scene, stall) * goods.units) / 100n) * BigInt(88 + scene.prng.int(10));
	const buyer = actorAt(scene, bidder);
	const wanted: ConsiderationItem = {
		...goods.item,
		...(criteria && { itemType: 4, identifierOrCriteria: 0n }),
		recipient: buyer.address,
	};
	const artist = actorAt(scene, scene.world.collections.indexOf(stall.state)).address;
	const fees = splitPayment(price, { seller: zeroAddress, artist, token: addresses.weth }).slice(1);
	const order = await signOrder(buyer, {
		offer: [
			{
				itemType: 1,
				token: addresses.weth,
				identifierOrCriteria: 0n,
				startAmount: price,
				endAmount: price,
			},
		],
		consideration: [wanted, ...fees],
		salt: nextSalt(scene),
		nowS: scene.nowS,
	});
	const data = criteria ? acceptAny(order, goods) : accept(scene, order);
	const label = criteria ? "offer collection" : "offer item";
	addTx(scene, { actor: goods.holder, to: addresses.seaport, data, value: 0n, label }, 1);
	moveGoods(scene, stall, { goods, to: bidder });
	return true;
}

function accept(scene: Scene, order: SignedOrder): Hex {
	if (scene.prng.chance(0.4)) {
		return encodeFunctionData({
			abi: seaportAbi,
			functionName: "fulfillOrder",
			args: [order, conduitKey],
		});
	}
	return encodeFunctionData({
		abi: seaportAbi,
		functionName: "fulfillBasicOrder_efficient_6GL6yc",
		args: [basicParameters(order)],
	});
}

function acceptAny(order: SignedOrder, goods: Goods): Hex {
	const whole = { ...order, numerator: 1n, denominator: 1n, extraData: "0x" } as const;
	// Side 1 is the consideration; the offer asked for any id, this one is delivered.
	const resolver = { orderIndex: 0n, side: 1, index: 0n, identifier: goods.id, criteriaProof: [] };
	return encodeFunctionData({
		abi: seaportAbi,
		functionName: "fulfillAdvancedOrder",
		args: [whole, [resolver], conduitKey, zeroAddress],
	});
}
