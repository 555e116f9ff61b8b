// Finds assets in the registry, and rejects tickers that look alike.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, isAddress, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { type AssetRow, type AssetStatus, assetRows } from "#plugins/trading/sql/assets.ts";
import type { Denial, Profile } from "#plugins/wallets/contract.ts";

/** A token or coin that can be traded. Chain and address identify it, never its symbol. */
export type Asset = {
	chainId: number;
	address: Address;
	symbol: string;
	name: string;
	decimals: number;
	kind: "native" | "wrapped" | "stable" | "stock";
	status: "active" | "delisted_pending_review" | "unverified";
	/** The price feed of the token; null: it has none. */
	feed: Address | null;
	/** The block of the last check on chain; null: not checked yet. */
	checkedBlock: bigint | null;
	/** Shares per whole token, times 1e18; null: it has no multiplier. */
	multiplier: bigint | null;
};

/** A pool that trades may use. */
export type Pool = {
	address: Address;
	token0: Address;
	token1: Address;
	/** The pool's fee in hundredths of a basis point: 3,000 is 0.3 %. */
	feeBps100: number;
	liquidity: bigint | null;
	version: "v3" | "v4";
};

/** The assets that can be traded, and the pools for them. */
export type Assets = {
	/** Finds an asset by a ticker without `$`, or an address. */
	find(
		db: Queryable,
		text: string,
	): Promise<
		{ kind: "asset"; asset: Asset } | { kind: "unknown" } | { kind: "ambiguous"; symbols: string[] }
	>;
	read(db: Queryable, address: Address): Promise<Asset | null>;
	/** Returns the configured pools, those with the most liquidity first. */
	pools(): readonly Pool[];
	/** Returns the configured pools that are not used now. */
	setAside(): readonly SetAside[];
};

/** A pool that is not used now, and why. */
export type SetAside = {
	pool: Pool;
	flaw: "not_of_factory" | "unreadable" | "price";
	/**
	 * The distance of its price from the fair one, in basis points, and the allowed one; null:
	 * unknown.
	 */
	offBps: number | null;
	boundBps: number;
};

/**
 * Checks which profile may trade which asset; returns the denial, or null. The default outside of
 * the sandbox is `closed`, which denies with `not_eligible`.
 */
export type Eligibility = {
	mayTrade(
		db: Queryable,
		ask: { profile: Profile; asset: Asset; side: "buy" | "sell"; nowMs: number },
	): Promise<Denial | null>;
};

/** Returns an asset's price by its feed; null: unknown. */
export type Reference = {
	priceUsd(
		asset: Asset,
	): Promise<{ microsPerUnit: bigint; ageMs: number } | { closed: true; ageMs: number } | null>;
};

type AssetsOptions = {
	chain: Chain;
	/** Returns the pools in their current ranking, and those that are not in it. */
	pools(): readonly Pool[];
	setAside?(): readonly SetAside[];
};

/** The form of a ticker in the registry: what the commands' grammar reads, in capitals. */
const TICKER = /^[A-Z][A-Z0-9.-]{0,15}$/;

/**
 * Rows of UTS 39's `confusables.txt` (17.0.0) whose source may stand in a ticker. Sources of all
 * other rows cannot: `isTicker` refuses them first.
 */
const CONFUSABLES: ReadonlyMap<string, string> = new Map([
	["0", "O"],
	["1", "l"],
	["I", "l"],
]);

/** Tickers of settlement currencies. No stock may have one of these, or a lookalike. */
export const SETTLEMENT_SYMBOLS = ["ETH", "WETH", "USDG"] as const;

/**
 * Makes the lookup of tokens in the registry. A ticker means the one token that has exactly it; a
 * lookalike is unknown, and so is a rejected token.
 */
export function createAssets({ chain, pools, setAside }: AssetsOptions): Assets {
	const coin: Asset = {
		...{ chainId: chain.id, address: ZERO_ADDRESS, kind: "native", status: "active" },
		...{ symbol: chain.nativeCurrency.symbol, name: chain.nativeCurrency.symbol },
		decimals: chain.nativeCurrency.decimals,
		...{ feed: null, checkedBlock: null, multiplier: null },
	};
	return {
		pools,
		setAside: setAside ?? (() => []),
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

/** Returns true for a text that can be a ticker: only Latin capitals, digits, dot and hyphen. */
export function isTicker(text: string): boolean {
	return TICKER.test(text);
}

/**
 * Returns the UTS 39 skeleton of a ticker: two with one skeleton look alike, such as COIN and C0IN.
 * Only valid for tickers; check `isTicker` first.
 */
export function skeletonOf(ticker: string): string {
	return Array.from(ticker, (letter) => CONFUSABLES.get(letter) ?? letter).join("");
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

function labelOf({ symbol, address }: AssetRow): string {
	return `${symbol} ${address}`;
}

function statusOf(status: AssetStatus): Asset["status"] {
	return status === "active" || status === "delisted_pending_review" ? status : "unverified";
}
