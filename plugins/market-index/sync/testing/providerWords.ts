// Makes answers of the provider, for tests.

import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { contractOf, ETH, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type {
	ProviderCollectionDetail,
	ProviderEvent,
	ProviderOrder,
	ProviderStats,
} from "#plugins/provider/contract.ts";

let said = 0;

/** Returns a hash that no other order of the test file has. */
export function nextHash(): Hex {
	return `0x${(++said).toString(16).padStart(64, "0")}`;
}

/** Returns a collection of one contract on ethereum, as the provider describes it. */
export function detailOf(
	contract: Address,
	given: Partial<ProviderCollectionDetail> = {},
): ProviderCollectionDetail {
	return {
		slug: "cats",
		name: "Cats",
		description: null,
		imageUrl: null,
		bannerImageUrl: null,
		projectUrl: null,
		isDisabled: false,
		safelistStatus: null,
		contracts: [{ chainId: ethereum.id, address: contract }],
		totalSupply: 100n,
		fees: [],
		createdAtMs: null,
		raw: {
			collection: "cats",
			contracts: (given.contracts ?? [{ address: contract }]).map(({ address }) => ({ address })),
		},
		...given,
	};
}

/** Returns counted stats with a floor of half an ETH. */
export function statsOf(given: Partial<ProviderStats> = {}): ProviderStats {
	return {
		floor: { value: 0.5, symbol: "ETH" },
		owners: 40,
		volumeTotal: { value: 12.5, symbol: "ETH" },
		salesTotal: 3,
		raw: { total: { floor_price: 0.5, floor_price_symbol: "ETH", num_owners: 40 } },
		...given,
	};
}

/** Returns an active listing of one token for one ETH. */
export function listingOf(contract: Address, given: Partial<ProviderOrder> = {}): ProviderOrder {
	return {
		side: "listing",
		kind: "listing",
		orderHash: nextHash(),
		chainId: ethereum.id,
		protocolAddress: contractOf(0x5ea),
		maker: contractOf(0xaaaa),
		contract,
		tokenId: BigInt(said),
		quantity: 1n,
		totalRaw: ETH,
		currency: ZERO_ADDRESS,
		decimals: 18,
		symbol: "ETH",
		isActive: true,
		isPrivate: false,
		startsAtMs: null,
		expiresAtMs: null,
		criteria: [],
		protocolData: { parameters: { salt: "1" } },
		...given,
	};
}

/** Returns a sale of a minute ago. */
export function saleEventOf(
	contract: Address,
	given: { occurredAtMs?: number } = {},
): ProviderEvent {
	return {
		type: "sale",
		occurredAtMs: NOW_MS - 60_000,
		chainId: ethereum.id,
		transactionHash: nextHash(),
		orderHash: null,
		quantity: 1n,
		payment: null,
		nft: {
			chainId: ethereum.id,
			contract,
			tokenId: 1n,
			standard: "erc721",
			collectionSlug: "cats",
			name: null,
			description: null,
			imageUrl: null,
			animationUrl: null,
			metadataUrl: null,
			traits: [],
			rank: null,
		},
		raw: {},
		seller: contractOf(0xaaaa),
		buyer: contractOf(0xbbbb),
		...given,
	};
}
