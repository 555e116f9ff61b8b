import { type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { addresses } from "../addresses.ts";
import { conduitKey } from "../conduitKey.ts";
import { basicParameters } from "../order/basicParameters.ts";
import type { SignedOrder } from "../order/Order.ts";
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

export type ListingStyle = "native" | "coin" | "forAnother";

/** Plans a filled listing: for ether, for the plain coin, or bought by one actor for another. */
export async function planListing(
	scene: Scene,
	stall: Stall,
	style: ListingStyle,
): Promise<boolean> {
	const goods = pickGoods(scene, stall);
	if (!goods) return false;
	const buyer = pickOther(scene, goods.holder);
	const price = priceOf(scene, stall) * goods.units;
	// The coin has six decimals and a fixed rate: 2,500 per ether.
	const paid = style === "coin" ? (price * 2_500n) / 10n ** 12n : price;
	const token = style === "coin" ? scene.world.coin : zeroAddress;
	const order = await signListing(scene, stall, { goods, paid, token });
	const owner = style === "forAnother" ? pickOther(scene, goods.holder, buyer) : buyer;
	const recipient = style === "forAnother" ? actorAt(scene, owner).address : zeroAddress;
	addTx(
		scene,
		{
			actor: buyer,
			to: addresses.seaport,
			data: style === "forAnother" ? advanced(order, recipient) : fill(scene, order),
			value: style === "coin" ? 0n : paid,
			label: `listing ${style}`,
		},
		1,
	);
	moveGoods(scene, stall, { goods, to: owner });
	return true;
}

async function signListing(
	scene: Scene,
	stall: Stall,
	sale: { goods: Goods; paid: bigint; token: Address },
): Promise<SignedOrder> {
	const seller = actorAt(scene, sale.goods.holder);
	const artist = actorAt(scene, scene.world.collections.indexOf(stall.state)).address;
	return await signOrder(seller, {
		offer: [sale.goods.item],
		consideration: splitPayment(sale.paid, { seller: seller.address, artist, token: sale.token }),
		salt: nextSalt(scene),
		nowS: scene.nowS,
	});
}

function fill(scene: Scene, order: SignedOrder): Hex {
	const roll = scene.prng.next();
	if (roll < 0.15) {
		return encodeFunctionData({
			abi: seaportAbi,
			functionName: "fulfillOrder",
			args: [order, conduitKey],
		});
	}
	if (roll < 0.35) return advanced(order, zeroAddress);
	const functionName = roll < 0.6 ? "fulfillBasicOrder" : "fulfillBasicOrder_efficient_6GL6yc";
	return encodeFunctionData({ abi: seaportAbi, functionName, args: [basicParameters(order)] });
}

function advanced(order: SignedOrder, recipient: Address): Hex {
	const whole = { ...order, numerator: 1n, denominator: 1n, extraData: "0x" } as const;
	return encodeFunctionData({
		abi: seaportAbi,
		functionName: "fulfillAdvancedOrder",
		args: [whole, [], conduitKey, recipient],
	});
}
