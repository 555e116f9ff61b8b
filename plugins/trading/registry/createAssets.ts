import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Asset, Assets, Pool } from "#plugins/trading/registry/Asset.ts";
import { isTicker } from "#plugins/trading/registry/symbols.ts";
import { type AssetRow, assetRows } from "#plugins/trading/sql/assetRows.ts";
import type { AssetStatus } from "#plugins/trading/states/assetStates.ts";

export type AssetsOptions = {
	chain: Chain;
	/** Returns the pools in their current ranking. */
	pools(): readonly Pool[];
};

/**
 * Makes the lookup of tokens in the registry. A ticker means the one token that has exactly it; a
 * lookalike is unknown, and so is a rejected token.
 */
export function createAssets({ chain, pools }: AssetsOptions): Assets {
	const coin: Asset = {
		...{ chainId: chain.id, address: ZERO_ADDRESS, kind: "native", status: "active" },
		...{ symbol: chain.nativeCurrency.symbol, name: chain.nativeCurrency.symbol },
		decimals: chain.nativeCurrency.decimals,
		...{ feed: null, checkedBlock: null, multiplier: null },
	};
	return {
		pools,
		async read(db, address) {
			if (address === ZERO_ADDRESS) return coin;
			const row = await assetRows.read(db, chain.id, address);
			return row && assetOf(row);
		},
		async find(db, text) {
			const name = text.trim().replace(/^\$/, "");
			const low = name.toLowerCase();
			if (isAddress(low)) {
				const asset = await this.read(db, low);
				return asset ? { kind: "asset", asset } : { kind: "unknown" };
			}
			const symbol = name.toUpperCase();
			// Checked before upper-casing, which turns some letters of other scripts into Latin ones.
			if (!/^[\x21-\x7e]+$/.test(name) || !isTicker(symbol)) return { kind: "unknown" };
			if (symbol === coin.symbol) return { kind: "asset", asset: coin };
			const rows = await assetRows.bySymbol(db, chain.id, symbol);
			const [row, ...others] = rows;
			if (!row) return { kind: "unknown" };
			if (others.length > 0) return { kind: "ambiguous", symbols: rows.map(labelOf) };
			return { kind: "asset", asset: assetOf(row) };
		},
	};
}

/** Converts a row to the asset that the rest of the plugin uses. */
export function assetOf(row: AssetRow): Asset {
	const { chainId, address, symbol, name, decimals, kind, feed, multiplier } = row;
	return {
		...{ chainId, address, symbol, name, decimals, kind, feed, multiplier },
		status: statusOf(row.status),
		checkedBlock: BigInt(row.checkedBlock),
	};
}

function statusOf(status: AssetStatus): Asset["status"] {
	return status === "active" || status === "delisted_pending_review" ? status : "unverified";
}

function labelOf({ symbol, address }: AssetRow): string {
	return `${symbol} ${address}`;
}

function isAddress(text: string): text is Address {
	return /^0x[0-9a-f]{40}$/.test(text);
}
