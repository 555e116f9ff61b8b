import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Denial, Profile } from "#plugins/wallets/contract.ts";

/** A token of the registry, or the chain's coin under the zero address. */
export type Asset = {
	chainId: number;
	address: Address;
	symbol: string;
	name: string;
	decimals: number;
	kind: "native" | "wrapped" | "stable" | "stock";
	status: "active" | "delisted_pending_review" | "unverified";
	/** The price feed that the registry names; null where there is none. */
	feed: Address | null;
	/** The block at which it was last checked on chain. */
	checkedBlock: bigint | null;
	/** ERC-8056: shares for one token, 1e18 is one. Never for a price or an amount that is sent. */
	multiplier: bigint | null;
};

export type Pool = {
	address: Address;
	token0: Address;
	token1: Address;
	/** Hundredths of a bip. */
	feeBps100: number;
	/** As the pool counts it; null until it was read. */
	liquidity: bigint | null;
	version: "v3" | "v4";
};

/** Which assets there are, and where they trade. */
export type Assets = {
	/** By ticker, with or without `$`, or by address. */
	find(
		db: Queryable,
		text: string,
	): Promise<
		{ kind: "asset"; asset: Asset } | { kind: "unknown" } | { kind: "ambiguous"; symbols: string[] }
	>;
	read(db: Queryable, address: Address): Promise<Asset | null>;
	/** From local configuration, ranked by liquidity. */
	pools(): readonly Pool[];
};

/** Who may trade what. Null: they may. */
export type Eligibility = {
	mayTrade(
		db: Queryable,
		ask: { profile: Profile; asset: Asset; side: "buy" | "sell"; nowMs: number },
	): Promise<Denial | null>;
};

/** What assets are worth by their feeds. Null is unknown. */
export type Reference = {
	priceUsd(
		asset: Asset,
	): Promise<{ microsPerUnit: bigint; ageMs: number } | { closed: true; ageMs: number } | null>;
};
