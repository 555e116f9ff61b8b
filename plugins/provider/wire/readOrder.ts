import type { Address } from "#core/chain/Hex.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";
import { RAW_BYTES_MAX } from "#plugins/provider/limits.ts";
import type { ChainNames } from "#plugins/provider/wire/createChainNames.ts";
import { keepRaw } from "#plugins/provider/wire/keepRaw.ts";
import { orderTotal } from "#plugins/provider/wire/orderTotal.ts";
import type { Reading } from "#plugins/provider/wire/Reading.ts";
import { type OfferCriteria, readCriteria } from "#plugins/provider/wire/readCriteria.ts";
import { readSignedOrder, type SignedOrder } from "#plugins/provider/wire/readSignedOrder.ts";
import { readUnits } from "#plugins/provider/wire/readUnits.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** Reads a listing or an offer; `side` is left out where the answer may be either. */
export function readOrder(
	row: unknown,
	{ chains, side: asked }: { chains: ChainNames; side?: ProviderOrder["side"] },
): Reading<ProviderOrder> {
	const { data } = wire.offer.safeParse(row);
	if (!data) return "unreadable";
	const chainId = chains.idOf(data.chain);
	if (chainId === null) return data.chain === null ? "unreadable" : "elsewhere";
	// A listing has its price under `current`, an offer has it directly.
	const { current } = wire.listingPrice.safeParse(data.price).data ?? {};
	const side = asked ?? (current ? "listing" : "offer");
	const price = wire.price.safeParse(current ?? data.price).data;
	const signed = readSignedOrder(data.protocol_data, side);
	const quantity = readUnits(data.remaining_quantity);
	const { order_hash: orderHash } = data;
	if (!orderHash || !signed?.maker || quantity === null) return "unreadable";
	if (!price || price.value === null || price.decimals === null || price.currency === null) {
		return "unreadable";
	}
	const isActive = data.status === null || data.status.toUpperCase() === "ACTIVE";
	const { units, payment } = signed;
	const signedTotal = payment?.total ?? null;
	return {
		side,
		orderHash,
		chainId,
		protocolAddress: data.protocol_address,
		maker: signed.maker,
		...placeOf({ side, asset: data.asset, criteria: readCriteria(data.criteria), signed }),
		quantity,
		totalRaw: orderTotal(price.value, { units, remaining: quantity, signedTotal }),
		currency: payment?.currency ?? null,
		decimals: price.decimals,
		symbol: price.currency,
		isActive: isActive && quantity > 0n,
		isPrivate: signed.isPrivate,
		startsAtMs: signed.startsAtMs,
		expiresAtMs: signed.expiresAtMs,
		protocolData: data.protocol_data
			? keepRaw(data.protocol_data, { bytesMax: RAW_BYTES_MAX, mayShorten: false })
			: null,
	};
}

type Place = Pick<ProviderOrder, "kind" | "criteria" | "tokenId"> & { contract: Address | null };

/** Returns which tokens an order is about. */
function placeOf(order: {
	side: ProviderOrder["side"];
	asset: unknown;
	criteria: OfferCriteria | null;
	signed: SignedOrder;
}): Place {
	const { side, criteria, signed } = order;
	const asset = wire.orderAsset.safeParse(order.asset).data;
	const contract = asset?.contract ?? criteria?.contract ?? signed.token?.contract ?? null;
	const tokenId = asset?.identifier ?? signed.token?.tokenId ?? null;
	// A bundle is for sale at one price, which is not the price of any of its tokens.
	if (side === "listing") {
		return { kind: "listing", contract, tokenId: signed.isBundle ? null : tokenId, criteria: [] };
	}
	const isOpen = criteria?.isPartial || signed.token?.tokenId === null || tokenId === null;
	if (!isOpen) return { kind: "item_offer", contract, tokenId, criteria: [] };
	return {
		kind: criteria?.isPartial ? "trait_offer" : "collection_offer",
		contract,
		tokenId: null,
		criteria: criteria?.traits ?? [],
	};
}
