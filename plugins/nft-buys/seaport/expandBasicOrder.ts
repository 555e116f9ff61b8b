import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { ConsiderationItem, OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";
import type { WireBasicOrder } from "#plugins/nft-buys/seaport/wireOrder.ts";

/** Each route has four types of orders: native or ERC-20 for an ERC-721 or an ERC-1155. */
const ORDER_TYPES = 4;
const NATIVE_TO_721 = 0;
const NATIVE_TO_1155 = 1;
const COIN_TO_721 = 2;
const COIN_TO_1155 = 3;

/**
 * Returns the order that Seaport derives from `BasicOrderParameters` before it hashes it. Null for
 * the routes that would sell our token, and for a native payment with members of an ERC-20: the
 * hash would not cover those.
 */
export function expandBasicOrder(basic: WireBasicOrder): OrderParameters | null {
	const route = Math.floor(basic.basicOrderType / ORDER_TYPES);
	if (route > COIN_TO_1155) return null;
	const isNative = route === NATIVE_TO_721 || route === NATIVE_TO_1155;
	if (isNative && basic.considerationToken !== ZERO_ADDRESS) return null;
	if (basic.considerationIdentifier !== 0n) return null;
	const payment = (amount: bigint, recipient: ConsiderationItem["recipient"]) => ({
		itemType: isNative ? 0 : 1,
		token: basic.considerationToken,
		identifierOrCriteria: 0n,
		startAmount: amount,
		endAmount: amount,
		recipient,
	});
	return {
		offerer: basic.offerer,
		zone: basic.zone,
		offer: [
			{
				itemType: route === NATIVE_TO_721 || route === COIN_TO_721 ? 2 : 3,
				token: basic.offerToken,
				identifierOrCriteria: basic.offerIdentifier,
				startAmount: basic.offerAmount,
				endAmount: basic.offerAmount,
			},
		],
		consideration: [
			payment(basic.considerationAmount, basic.offerer),
			...basic.additionalRecipients.map(({ amount, recipient }) => payment(amount, recipient)),
		],
		orderType: basic.basicOrderType % ORDER_TYPES,
		startTime: basic.startTime,
		endTime: basic.endTime,
		zoneHash: basic.zoneHash,
		salt: basic.salt,
		conduitKey: basic.offererConduitKey,
		totalOriginalConsiderationItems: basic.totalOriginalAdditionalRecipients + 1n,
	};
}
