import { encodeFunctionData } from "viem";
import { addresses } from "../addresses.ts";
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
 * Plans a match by a third party of a WETH listing with a WETH offer: the caller is neither side.
 */
export async function planMatch(scene: Scene, stall: Stall): Promise<boolean> {
	const goods = pickGoods(scene, stall);
	if (!goods) return false;
	const price = priceOf(scene, stall) * goods.units;
	const seller = actorAt(scene, goods.holder);
	const buyerIndex = pickOther(scene, goods.holder);
	const buyer = actorAt(scene, buyerIndex);
	const relayer = pickOther(scene, goods.holder, buyerIndex);
	const artist = actorAt(scene, scene.world.collections.indexOf(stall.state)).address;
	const payments = splitPayment(price, { seller: seller.address, artist, token: addresses.weth });
	const common = { nowS: scene.nowS };
	const listing = await signOrder(seller, {
		...common,
		offer: [goods.item],
		consideration: payments,
		salt: nextSalt(scene),
	});
	const offer = await signOrder(buyer, {
		...common,
		offer: [
			{
				itemType: 1,
				token: addresses.weth,
				identifierOrCriteria: 0n,
				startAmount: price,
				endAmount: price,
			},
		],
		consideration: [{ ...goods.item, recipient: buyer.address }],
		salt: nextSalt(scene),
	});
	const at = (orderIndex: bigint, itemIndex: bigint) => [{ orderIndex, itemIndex }];
	const fulfillments = [
		{ offerComponents: at(0n, 0n), considerationComponents: at(1n, 0n) },
		...[0n, 1n, 2n].map((item) => ({
			offerComponents: at(1n, 0n),
			considerationComponents: at(0n, item),
		})),
	];
	const data = encodeFunctionData({
		abi: seaportAbi,
		functionName: "matchOrders",
		args: [[listing, offer], fulfillments],
	});
	addTx(scene, { actor: relayer, to: addresses.seaport, data, value: 0n, label: "match" }, 1);
	moveGoods(scene, stall, { goods, to: buyerIndex });
	return true;
}
