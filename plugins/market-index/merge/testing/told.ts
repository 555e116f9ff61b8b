import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import type { ProviderEvent, ProviderNft } from "#plugins/provider/contract.ts";

type Given = {
	type?: "sale" | "mint" | "transfer";
	withoutTransaction?: boolean;
	from?: Address;
	to?: Address;
	occurredAtMs?: number;
	totalRaw?: bigint | null;
	raw?: Record<string, unknown>;
	chainId?: number;
	quantity?: bigint;
};

/** What the provider says of an event of the chain, unless told otherwise. */
export function told(event: NewEvent, given: Given = {}): ProviderEvent {
	const totalRaw = given.totalRaw === undefined ? event.totalRaw : given.totalRaw;
	const currency = event.currency ?? ZERO_ADDRESS;
	const from = given.from ?? event.from;
	const to = given.to ?? event.to;
	const base = {
		occurredAtMs: given.occurredAtMs ?? event.occurredAtMs,
		chainId: given.chainId ?? 1,
		transactionHash: given.withoutTransaction ? null : event.transactionHash,
		orderHash: null,
		quantity: given.quantity ?? event.quantity,
		payment: totalRaw === null ? null : { totalRaw, currency, decimals: 18, symbol: "ETH" },
		nft: nftOf(event),
		raw: given.raw ?? { nft: { image_url: `ipfs://${event.tokenId}` } },
	};
	const type = given.type ?? event.kind;
	if (type === "sale") return { ...base, type, seller: from, buyer: to };
	return { ...base, type, from, to };
}

function nftOf({ contract, tokenId, standard }: NewEvent): ProviderNft {
	return {
		chainId: 1,
		contract,
		tokenId,
		standard,
		collectionSlug: null,
		name: null,
		description: null,
		imageUrl: null,
		animationUrl: null,
		metadataUrl: null,
		traits: [],
		rank: null,
	};
}
