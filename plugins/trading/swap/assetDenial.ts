import type { Asset } from "#plugins/trading/registry/Asset.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** Why an asset is not traded, by what the registry knows of it; null: it may be. */
export function assetDenial(asset: Asset | null): Denial | null {
	if (!asset) return { code: "asset_not_registered", detail: "It is not in the registry." };
	const { symbol, status } = asset;
	switch (status) {
		case "active":
			return null;
		case "delisted_pending_review":
			return { code: "asset_delisted", detail: `${symbol} left the issuer's list.` };
		default:
			return { code: "asset_not_verified", detail: `${symbol} did not pass its check on chain.` };
	}
}
