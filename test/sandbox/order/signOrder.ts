import { type Hex, zeroAddress, zeroHash } from "viem";
import { sign } from "viem/accounts";
import { conduitKey } from "../conduitKey.ts";
import type { Actor } from "../World.ts";
import { hashOrder } from "./hashOrder.ts";
import type { ConsiderationItem, OfferItem, SignedOrder } from "./Order.ts";

export type OrderDraft = {
	offer: OfferItem[];
	consideration: ConsiderationItem[];
	salt: bigint;
	/** The time of the block that fills it; the order opens an hour before and ends a week after. */
	nowS: number;
	partial?: boolean;
};

/**
 * Completes a draft as usual in this world (no zone, the OpenSea conduit) and signs it for the
 * offerer.
 */
export async function signOrder(offerer: Actor, draft: OrderDraft): Promise<SignedOrder> {
	const parameters = {
		offerer: offerer.address,
		zone: zeroAddress,
		offer: draft.offer,
		consideration: draft.consideration,
		orderType: draft.partial ? 1 : 0,
		startTime: BigInt(draft.nowS - 3_600),
		endTime: BigInt(draft.nowS + 7 * 86_400),
		zoneHash: zeroHash,
		salt: draft.salt,
		conduitKey,
		totalOriginalConsiderationItems: BigInt(draft.consideration.length),
	} as const;
	const hash = hashOrder(parameters);
	const signature: Hex = await sign({ hash, privateKey: offerer.privateKey, to: "hex" });
	return { parameters, signature };
}
