import { encodeFunctionData, zeroAddress } from "viem";
import { addresses } from "../addresses.ts";
import { conduitKey } from "../conduitKey.ts";
import { seaportAbi } from "../order/seaportAbi.ts";
import { signOrder } from "../order/signOrder.ts";
import { actorAt } from "./actorAt.ts";
import { addTx } from "./addTx.ts";
import { moveGoods } from "./moveGoods.ts";
import { nextSalt } from "./nextSalt.ts";
import type { Goods } from "./pickGoods.ts";
import { pickGoods } from "./pickGoods.ts";
import { pickOther } from "./pickOther.ts";
import { priceOf } from "./priceOf.ts";
import type { Scene, Stall } from "./Scene.ts";
import { splitPayment } from "./splitPayment.ts";

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
