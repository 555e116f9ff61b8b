// Reads the provider's rows about events and tokens.

import type { ProviderEvent, ProviderNft } from "#plugins/provider/contract.ts";
import { RAW_BYTES_MAX, TRAITS_PER_TOKEN_MAX } from "#plugins/provider/limits.ts";
import { readTrait } from "#plugins/provider/wire/collections.ts";
import { readPayment } from "#plugins/provider/wire/orders.ts";
import {
	type ChainNames,
	keepRaw,
	type Reading,
	readUnits,
	wireField,
} from "#plugins/provider/wire/rows.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

type OrderKind = "listing" | "item_offer" | "collection_offer" | "trait_offer";
type Shared = Omit<Extract<ProviderEvent, { type: "sale" }>, "type" | "seller" | "buyer">;

type SharedMembers = {
	event_timestamp: number | null;
	chain: string | null;
	transaction: Shared["transactionHash"];
	order_hash: Shared["orderHash"];
	payment: Record<string, unknown> | null;
	quantity?: unknown;
	nft: Record<string, unknown> | null;
};

/** Reads one row of the provider's events. */
export function readEvent(row: unknown, chains: ChainNames): Reading<ProviderEvent> {
	const { data } = wire.orderEvent.safeParse(row);
	if (!data || data.event_type === null) return "unreadable";
	switch (data.event_type) {
		case "sale":
			return readSale(row, chains);
		case "transfer":
		case "mint":
			return readMove(row, chains);
		default: {
			const type = orderKindOf(data.event_type, data.order_type);
			return type ? readOrdered(row, chains, type) : "unreadable";
		}
	}
}

/**
 * Reads a token. No documented member names its chain, so a caller that asked for a chain or reads
 * an event of one passes it as `chainId`; null where it is unknown.
 */
export function readNft(
	row: unknown,
	{ chainId }: { chainId: number | null },
): Reading<ProviderNft> {
	const { data } = wire.nftDetail.safeParse(row);
	if (!data || data.identifier === null) return "unreadable";
	// Tokens of other kinds of chains have contracts of other shapes.
	if (data.contract === null) return "elsewhere";
	return {
		chainId,
		contract: data.contract,
		tokenId: data.identifier,
		standard: standardOf(data.token_standard),
		collectionSlug: data.collection,
		name: data.name,
		description: data.description,
		imageUrl: data.image_url ?? data.display_image_url,
		animationUrl: data.animation_url ?? data.display_animation_url,
		metadataUrl: data.metadata_url,
		traits: (data.traits ?? []).slice(0, TRAITS_PER_TOKEN_MAX).flatMap((trait) => {
			return readTrait(trait) ?? [];
		}),
		rank: wire.rarity.safeParse(data.rarity).data?.rank || null,
	};
}

function readSale(row: unknown, chains: ChainNames): Reading<ProviderEvent> {
	const { data } = wire.sale.safeParse(row);
	if (!data) return "unreadable";
	const shared = readShared(
		row,
		{ ...data, event_timestamp: data.event_timestamp ?? data.closing_date },
		chains,
	);
	if (typeof shared === "string") return shared;
	const { seller, buyer } = data;
	return seller && buyer ? { ...shared, type: "sale", seller, buyer } : "unreadable";
}

function readShared(row: unknown, data: SharedMembers, chains: ChainNames): Reading<Shared> {
	const chainId = chains.idOf(data.chain);
	// A named but unknown chain is elsewhere; a missing one means a broken row.
	if (chainId === null) return data.chain === null ? "unreadable" : "elsewhere";
	const quantity = readUnits(data.quantity);
	const sent = wireField.record.parse(row);
	if (data.event_timestamp === null || !quantity || !sent) return "unreadable";
	const nft: Reading<ProviderNft> = readNft(data.nft, { chainId });
	return {
		occurredAtMs: data.event_timestamp,
		chainId,
		transactionHash: data.transaction,
		orderHash: data.order_hash,
		quantity,
		payment: readPayment(data.payment),
		nft: typeof nft === "string" ? null : nft,
		raw: keepRaw(sent, { bytesMax: RAW_BYTES_MAX, mayShorten: true }) ?? {},
	};
}

function readMove(row: unknown, chains: ChainNames): Reading<ProviderEvent> {
	const { data } = wire.transfer.safeParse(row);
	if (!data) return "unreadable";
	const shared = readShared(row, data, chains);
	if (typeof shared === "string") return shared;
	const { from_address: from, to_address: to } = data;
	const isMint = data.event_type === "mint" || data.transfer_type?.toLowerCase() === "mint";
	return from && to ? { ...shared, type: isMint ? "mint" : "transfer", from, to } : "unreadable";
}

/** Returns the kind of an order event; the older `order` and `offer` state it in `order_type`. */
function orderKindOf(eventType: string, orderType: string | null): OrderKind | null {
	const kind =
		eventType === "order" || eventType === "offer" ? (orderType ?? eventType) : eventType;
	switch (kind) {
		case "listing":
		case "item_offer":
		case "collection_offer":
		case "trait_offer":
			return kind;
		case "offer":
			return "item_offer";
		default:
			return null;
	}
}

function readOrdered(row: unknown, chains: ChainNames, type: OrderKind): Reading<ProviderEvent> {
	const { data } = wire.orderEvent.safeParse(row);
	if (!data) return "unreadable";
	const shared = readShared(row, { ...data, nft: data.asset }, chains);
	if (typeof shared === "string") return shared;
	const { maker, expiration_date: expiresAtMs } = data;
	return maker ? { ...shared, type, maker, expiresAtMs } : "unreadable";
}

function standardOf(text: string | null): ProviderNft["standard"] {
	const standard = text?.toLowerCase().replace("-", "");
	return standard === "erc721" || standard === "erc1155" ? standard : null;
}
