import type { Address, Hex } from "#core/chain/Hex.ts";
import type { BuyStep } from "#plugins/nft-buys/buySteps.ts";
import type { Provider, ProviderOrder } from "#plugins/provider/contract.ts";

export type Search = {
	chainId: number;
	marketplace: Address;
	contract: Address;
	tokenId: bigint;
	/** Null: the token's cheapest listing. */
	orderHash: Hex | null;
};

/** Returns the named listing, or else the token's cheapest. Null: the provider has none. */
export async function findListing(
	{ chainId, marketplace, contract, tokenId, orderHash }: Search,
	given: {
		provider: Provider;
		outbound: <Result>(step: BuyStep, call: () => Promise<Result>) => Promise<Result>;
		signal: AbortSignal;
	},
): Promise<ProviderOrder | null> {
	const { provider, outbound, signal } = given;
	const options = { purpose: "request", signal } as const;
	if (orderHash) {
		const listing = await outbound("nft_buy.listing", () =>
			provider.order({ chainId, protocolAddress: marketplace, orderHash }, options),
		);
		// An order other than the named one does not count.
		return listing?.orderHash === orderHash ? listing : null;
	}
	const slug = await outbound("nft_buy.collection", () =>
		provider.slugOf({ chainId, address: contract }, options),
	);
	if (slug === null) return null;
	return await outbound("nft_buy.listing", () => provider.bestListing(slug, tokenId, options));
}
