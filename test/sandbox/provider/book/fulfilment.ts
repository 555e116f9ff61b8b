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
	/** Who gets what the order offers; the zero address is he who sends the transaction. */
	recipient: Address;
	/** The token that a criteria offer gets. */
	tokenId: bigint | null;
};

/** A call that fills an order: nothing encoded yet, as the provider answers it. */
export type Call = { function: string; to: Address; value: bigint; input: Record<string, unknown> };

type Name = "fulfillBasicOrder_efficient_6GL6yc" | "fulfillAdvancedOrder";

/**
 * How to fill an order: the cheap basic way where one token goes whole and to the sender, the
 * advanced one for parts, other recipients and criteria.
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
		// The consideration's: the offer asks for any, this one comes.
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

/** Whole numbers of 256 bits are text in JSON; small ones (types, sides) stay numbers. */
function asText(value: unknown): unknown {
	if (typeof value === "bigint") return String(value);
	if (Array.isArray(value)) return value.map(asText);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asText(inner)]));
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
