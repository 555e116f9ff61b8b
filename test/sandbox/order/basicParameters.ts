import type { Address, Hex } from "viem";
import { conduitKey } from "../conduitKey.ts";
import type { SignedOrder } from "./Order.ts";

// Seaport's routes, four order types each: what is paid with and what is handed over.
const route = {
	nativeTo721: 0,
	nativeTo1155: 4,
	coinTo721: 8,
	coinTo1155: 12,
	token721ToCoin: 16,
	token1155ToCoin: 20,
};

/**
 * BasicOrderParameters of an order that fits them: one offered item, then payments in one currency.
 */
export type BasicParameters = {
	considerationToken: Address;
	considerationIdentifier: bigint;
	considerationAmount: bigint;
	offerer: Address;
	zone: Address;
	offerToken: Address;
	offerIdentifier: bigint;
	offerAmount: bigint;
	basicOrderType: number;
	startTime: bigint;
	endTime: bigint;
	zoneHash: Hex;
	salt: bigint;
	offererConduitKey: Hex;
	fulfillerConduitKey: Hex;
	totalOriginalAdditionalRecipients: bigint;
	additionalRecipients: { amount: bigint; recipient: Address }[];
	signature: Hex;
};

export function basicParameters({ parameters, signature }: SignedOrder): BasicParameters {
	const [offered] = parameters.offer;
	const [asked, ...others] = parameters.consideration;
	if (!offered || !asked) throw new Error("a basic order has an offer and a consideration");
	return {
		considerationToken: asked.token,
		considerationIdentifier: asked.identifierOrCriteria,
		considerationAmount: asked.startAmount,
		offerer: parameters.offerer,
		zone: parameters.zone,
		offerToken: offered.token,
		offerIdentifier: offered.identifierOrCriteria,
		offerAmount: offered.startAmount,
		basicOrderType: routeOf(offered.itemType, asked.itemType) + parameters.orderType,
		startTime: parameters.startTime,
		endTime: parameters.endTime,
		zoneHash: parameters.zoneHash,
		salt: parameters.salt,
		offererConduitKey: parameters.conduitKey,
		fulfillerConduitKey: conduitKey,
		totalOriginalAdditionalRecipients: BigInt(others.length),
		additionalRecipients: others.map((item) => ({
			amount: item.startAmount,
			recipient: item.recipient,
		})),
		signature,
	};
}

function routeOf(offered: number, asked: number): number {
	if (offered === 1) return asked === 2 ? route.token721ToCoin : route.token1155ToCoin;
	if (asked === 0) return offered === 2 ? route.nativeTo721 : route.nativeTo1155;
	return offered === 2 ? route.coinTo721 : route.coinTo1155;
}
