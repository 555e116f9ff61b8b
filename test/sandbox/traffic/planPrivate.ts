import { encodeFunctionData, zeroAddress } from "viem";
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
 * Plans a private sale as marketplaces do it: the listing requires that its own token goes to one
 * buyer, who matches it with a mirror order. Two OrderFulfilled, one sale.
 */
export async function planPrivate(scene: Scene, stall: Stall): Promise<boolean> {
	const goods = pickGoods(scene, stall);
	if (!goods) return false;
	const price = priceOf(scene, stall) * goods.units;
	const seller = actorAt(scene, goods.holder);
	const buyerIndex = pickOther(scene, goods.holder);
	const buyer = actorAt(scene, buyerIndex);
	const artist = actorAt(scene, scene.world.collections.indexOf(stall.state)).address;
	const payments = splitPayment(price, { seller: seller.address, artist, token: zeroAddress });
	const listing = await signOrder(seller, {
		offer: [goods.item],
		consideration: [...payments, { ...goods.item, recipient: buyer.address }],
		salt: nextSalt(scene),
		nowS: scene.nowS,
	});
	const mirror = await signOrder(buyer, {
		offer: [
			{
				itemType: 0,
				token: zeroAddress,
				identifierOrCriteria: 0n,
				startAmount: price,
				endAmount: price,
			},
		],
		consideration: [],
		salt: nextSalt(scene),
		nowS: scene.nowS,
	});
	const at = (orderIndex: bigint, itemIndex: bigint) => [{ orderIndex, itemIndex }];
	const fulfillments = [
		{ offerComponents: at(0n, 0n), considerationComponents: at(0n, 3n) },
		...[0n, 1n, 2n].map((item) => ({
			offerComponents: at(1n, 0n),
			considerationComponents: at(0n, item),
		})),
	];
	// A native payment in an offer is possible in match calls only, for the caller; then no signature
	// is needed.
	const unsigned = { ...mirror, signature: "0x" } as const;
	const data = encodeFunctionData({
		abi: seaportAbi,
		functionName: "matchOrders",
		args: [[listing, unsigned], fulfillments],
	});
	addTx(
		scene,
		{ actor: buyerIndex, to: addresses.seaport, data, value: price, label: "private sale" },
		1,
	);
	moveGoods(scene, stall, { goods, to: buyerIndex });
	return true;
}
