// Plans sales of unusual form: bundles, gifts, matches, private sales, sweeps.

import { encodeFunctionData, zeroAddress } from "viem";
import { addresses, conduitKey } from "../knownContracts.ts";
import { type SignedOrder, seaportAbi, signOrder } from "../seaportOrder.ts";
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

const ITEMS_MAX = 4;

/** Plans a sale of two to four tokens of one holder in one order for one price. */
export async function planBundle(scene: Scene, stall: Stall): Promise<boolean> {
	if (stall.plan.standard !== "erc721") return false;
	const first = pickGoods(scene, stall);
	if (!first) return false;
	const lot = [first, ...othersOf(scene, stall, first.holder)];
	const seller = actorAt(scene, first.holder);
	const buyer = pickOther(scene, first.holder);
	const price = priceOf(scene, stall) * BigInt(lot.length);
	const artist = actorAt(scene, scene.world.collections.indexOf(stall.state)).address;
	const order = await signOrder(seller, {
		offer: lot.map((goods) => goods.item),
		consideration: splitPayment(price, { seller: seller.address, artist, token: zeroAddress }),
		salt: nextSalt(scene),
		nowS: scene.nowS,
	});
	const data = encodeFunctionData({
		abi: seaportAbi,
		functionName: "fulfillOrder",
		args: [order, conduitKey],
	});
	const label = lot.length > 1 ? "bundle" : "listing native";
	addTx(scene, { actor: buyer, to: addresses.seaport, data, value: price, label }, 1);
	for (const goods of lot) moveGoods(scene, stall, { goods, to: buyer });
	return true;
}

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

function othersOf(scene: Scene, { state }: Stall, holder: number): Goods[] {
	const found: Goods[] = [];
	for (let index = 0; index < state.owners.length && found.length < ITEMS_MAX - 1; index++) {
		const mark = `${state.key}/${index}`;
		if (state.owners[index] !== holder || scene.touched.has(mark)) continue;
		scene.touched.add(mark);
		const id = BigInt(index + 1);
		const item = {
			itemType: 2,
			token: state.address,
			identifierOrCriteria: id,
			startAmount: 1n,
			endAmount: 1n,
		} as const;
		found.push({ holder, id, units: 1n, item });
	}
	return found;
}
