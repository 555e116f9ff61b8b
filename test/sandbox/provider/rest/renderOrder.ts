import type { Hex } from "viem";
import { toHex } from "viem";
import { addresses } from "../../addresses.ts";
import type { OrderParameters } from "../../order/Order.ts";
import type { BookOrder, Collection } from "../market/Market.ts";
import { CHAIN, type Office } from "./Office.ts";

type Json = Record<string, unknown>;

/**
 * Renders a listing or an offer. The price is in two places: `price.current` for a listing only.
 */
export async function renderOrder(
	office: Office,
	collection: Collection,
	order: BookOrder,
): Promise<Json> {
	const { currency, totalRaw, remaining, units } = order;
	const signature = await office.signatures.of(order);
	const value = String((totalRaw * (remaining || units)) / units);
	const price = { currency: currency.symbol, decimals: currency.decimals, value };
	const isListing = order.kind === "listing";
	const contract = collection.facts.address;
	return {
		order_hash: order.hash,
		chain: CHAIN,
		protocol_data: { parameters: renderParameters(order.parameters, "decimal"), signature },
		protocol_address: addresses.seaport.toLowerCase(),
		asset: {
			...(order.tokenId !== null && { identifier: String(order.tokenId) }),
			contract,
		},
		remaining_quantity: Number(remaining),
		order_created_at: order.createdS,
		price: isListing ? { current: price } : price,
		...(isListing ? { type: "basic" } : criteriaOf(collection, order)),
		status: order.status,
	};
}

/** Renders which tokens an offer accepts; empty for an offer on one token. */
export function criteriaOf({ slug, facts }: Collection, order: BookOrder): Json {
	if (order.kind !== "collection_offer" && order.kind !== "trait_offer") return {};
	return {
		criteria: {
			collection: { slug },
			contract: { address: facts.address },
			...(order.traits.length > 0 && { traits: order.traits }),
			encoded_token_ids: order.traitIds.length > 0 ? order.traitIds.join(",") : "*",
		},
	};
}

/**
 * Renders Seaport's parameters as text; the salt is decimal in the book and hex beside a
 * fulfilment.
 */
export function renderParameters(parameters: OrderParameters, salt: "decimal" | "hex"): Json {
	return {
		offerer: parameters.offerer,
		offer: parameters.offer.map(itemOf),
		consideration: parameters.consideration.map((item) => ({
			...itemOf(item),
			recipient: item.recipient,
		})),
		startTime: String(parameters.startTime),
		endTime: String(parameters.endTime),
		orderType: parameters.orderType,
		zone: parameters.zone,
		zoneHash: parameters.zoneHash,
		salt: salt === "hex" ? toHex(parameters.salt) : String(parameters.salt),
		conduitKey: parameters.conduitKey,
		totalOriginalConsiderationItems: Number(parameters.totalOriginalConsiderationItems),
		// The provider sends both forms, so clients must accept both.
		counter: parameters.salt % 512n === 1n ? "0" : 0,
	};
}

function itemOf(item: {
	itemType: number;
	token: Hex;
	identifierOrCriteria: bigint;
	startAmount: bigint;
	endAmount: bigint;
}): Json {
	return {
		itemType: item.itemType,
		token: item.token,
		identifierOrCriteria: String(item.identifierOrCriteria),
		startAmount: String(item.startAmount),
		endAmount: String(item.endAmount),
	};
}
