import { type AbiFunction, type Address, type Hex, toFunctionSignature, zeroAddress } from "viem";
import { addresses } from "../../addresses.ts";
import { conduitKey } from "../../conduitKey.ts";
import { basicParameters } from "../../order/basicParameters.ts";
import { seaportAbi } from "../../order/seaportAbi.ts";
import type { BookOrder } from "../market/Market.ts";
import { merkleProof } from "./merkle.ts";

export type Filling = {
	signature: Hex;
	units: bigint;
	/**
	 * The address that gets the offered item; the zero address means the sender of the transaction.
	 */
	recipient: Address;
	/** The token for a criteria offer. */
	tokenId: bigint | null;
};

/** A call that fills an order, in the provider's form: nothing is encoded yet. */
export type Call = { function: string; to: Address; value: bigint; input: Record<string, unknown> };

type Name = "fulfillBasicOrder_efficient_6GL6yc" | "fulfillAdvancedOrder";

/**
 * Returns the call that fills an order: the cheap basic function where one whole token goes to the
 * sender, the advanced one for parts, other recipients and criteria.
 */
export function fulfilmentOf(order: BookOrder, filling: Filling): Call {
	const { parameters, units } = order;
	const value = isNative(order) ? (order.totalRaw * filling.units) / units : 0n;
	const isWhole = filling.units === units && order.remaining === units;
	const isBasic = isWhole && filling.recipient === zeroAddress && filling.tokenId === null;
	const to = lower(addresses.seaport);
	if (isBasic) {
		const basic = basicParameters({ parameters, signature: filling.signature });
		const input = { parameters: asText({ ...basic, fulfillerConduitKey: conduitKey }) };
		return { function: signatureOf("fulfillBasicOrder_efficient_6GL6yc"), to, value, input };
	}
	const { tokenId } = filling;
	const resolver = tokenId !== null && {
		orderIndex: 0n,
		// For the consideration: the offer asks for any token, this one is delivered.
		side: 1,
		index: 0n,
		identifier: tokenId,
		criteriaProof: order.traitIds.length > 0 ? merkleProof(order.traitIds, tokenId) : [],
	};
	const input = {
		advancedOrder: asText({
			parameters,
			numerator: filling.units,
			denominator: units,
			signature: filling.signature,
			extraData: "0x",
		}),
		criteriaResolvers: resolver ? [asText(resolver)] : [],
		fulfillerConduitKey: conduitKey,
		recipient: filling.recipient,
	};
	return { function: signatureOf("fulfillAdvancedOrder"), to, value, input };
}

function isNative({ currency, kind }: BookOrder): boolean {
	return kind === "listing" && currency.address === zeroAddress;
}

function signatureOf(name: Name): string {
	const found = seaportAbi.find(
		(item): item is Extract<(typeof seaportAbi)[number], AbiFunction> =>
			item.type === "function" && item.name === name,
	);
	if (!found) throw new Error(`Seaport has no ${name}`);
	return toFunctionSignature(found);
}

/**
 * Converts values for JSON: integers of 256 bits become text; small ones (types, sides) stay
 * numbers.
 */
function asText(value: unknown): unknown {
	if (typeof value === "bigint") return String(value);
	if (Array.isArray(value)) return value.map(asText);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asText(inner)]));
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
