import { concatHex, encodeFunctionData } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { assert } from "#core/fault/assert.ts";
import { seaportAbi } from "#plugins/nft-buys/abi/seaportAbi.ts";
import type { Filling } from "#plugins/nft-buys/seaport/Filling.ts";

/**
 * Returns the calldata of a checked filling, with the attribution after it. It is encoded from the
 * checked values alone, and contains no other byte from the provider.
 */
export function encodeFilling(
	filling: Filling,
	{ wallet, suffix }: { wallet: Address; suffix: Hex | null },
): Hex {
	return concatHex([encodeCall(filling, wallet), suffix ?? "0x"]);
}

function encodeCall(filling: Filling, wallet: Address): Hex {
	const { call, parameters, signature, extraData, fulfillerConduitKey: key } = filling;
	const { numerator, denominator } = filling;
	if (call === "fulfillOrder") {
		return encodeFunctionData({
			abi: seaportAbi,
			functionName: call,
			args: [{ parameters, signature }, key],
		});
	}
	if (call === "fulfillAdvancedOrder") {
		return encodeFunctionData({
			abi: seaportAbi,
			functionName: call,
			args: [{ parameters, numerator, denominator, signature, extraData }, [], key, wallet],
		});
	}
	return encodeFunctionData({ abi: seaportAbi, functionName: call, args: [basicOf(filling)] });
}

function basicOf({ parameters, signature, fulfillerConduitKey }: Filling) {
	const [offered] = parameters.offer;
	const [first, ...others] = parameters.consideration;
	assert(offered && first, "a checked order has an offer and a price");
	const route = (first.itemType === 0 ? 0 : 2) + (offered.itemType === 2 ? 0 : 1);
	return {
		considerationToken: first.token,
		considerationIdentifier: first.identifierOrCriteria,
		considerationAmount: first.startAmount,
		offerer: parameters.offerer,
		zone: parameters.zone,
		offerToken: offered.token,
		offerIdentifier: offered.identifierOrCriteria,
		offerAmount: offered.startAmount,
		basicOrderType: parameters.orderType + 4 * route,
		startTime: parameters.startTime,
		endTime: parameters.endTime,
		zoneHash: parameters.zoneHash,
		salt: parameters.salt,
		offererConduitKey: parameters.conduitKey,
		fulfillerConduitKey,
		totalOriginalAdditionalRecipients: BigInt(others.length),
		additionalRecipients: others.map(({ startAmount: amount, recipient }) => {
			return { amount, recipient };
		}),
		signature,
	};
}
