// Plans filled listings, accepted offers and partial sales.

import { type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { addresses, conduitKey } from "../knownContracts.ts";
import {
	basicParameters,
	type ConsiderationItem,
	type SignedOrder,
	seaportAbi,
	signOrder,
} from "../seaportOrder.ts";
import {
	actorAt,
	addTx,
	type Goods,
	moveGoods,
	nextSalt,
	pickGoods,
	pickOther,
	priceOf,
	type Scene,
	type Stall,
	splitPayment,
} from "./Scene.ts";

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

function advanced(order: SignedOrder, recipient: Address): Hex {
	const whole = { ...order, numerator: 1n, denominator: 1n, extraData: "0x" } as const;
	return encodeFunctionData({
		abi: seaportAbi,
		functionName: "fulfillAdvancedOrder",
		args: [whole, [], conduitKey, recipient],
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
