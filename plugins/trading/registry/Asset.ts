import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Denial, Profile } from "#plugins/wallets/contract.ts";

/** A currency that trades are made in, known by its chain and address and never by its symbol. */
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
	/** Shares that a whole token stands for, times 1e18; null: it has no multiplier. */
	multiplier: bigint | null;
};

/** A pool that trades may go through. */
export type Pool = {
	address: Address;
	token0: Address;
	token1: Address;
	/** Its fee in hundredths of a basis point: 3,000 is 0.3 %. */
	feeBps100: number;
	liquidity: bigint | null;
	version: "v3" | "v4";
};

/** What may be traded, and through what. */
export type Assets = {
	/** By a ticker without `$`, or an address. */
	find(
		db: Queryable,
		text: string,
	): Promise<
		{ kind: "asset"; asset: Asset } | { kind: "unknown" } | { kind: "ambiguous"; symbols: string[] }
	>;
	read(db: Queryable, address: Address): Promise<Asset | null>;
	/** From local configuration, those with the most liquidity first. */
	pools(): readonly Pool[];
};

/** Who may trade which asset. Closed outside of the sandbox: `not_eligible`. */
export type Eligibility = {
	mayTrade(
		db: Queryable,
		ask: { profile: Profile; asset: Asset; side: "buy" | "sell"; nowMs: number },
	): Promise<Denial | null>;
};

/** What an asset is worth by its feed; null: nobody knows. */
export type Reference = {
	priceUsd(
		asset: Asset,
	): Promise<{ microsPerUnit: bigint; ageMs: number } | { closed: true; ageMs: number } | null>;
};
