import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
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
	/** Its price feed; null: it has none. */
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
