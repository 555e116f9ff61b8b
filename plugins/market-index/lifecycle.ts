// Derives a collection's lifecycle, in TypeScript and as SQL.

/** All that a collection's lifecycle depends on. */
export type LifecycleFacts = {
	mintedUnits: bigint;
	/** The maximum supply by the contract or its drop; null while unknown. */
	maxSupply: bigint | null;
	firstMintAtMs: number | null;
	lastMintAtMs: number | null;
	/** Accepted sales ever. */
	sales: number;
	/** True: it has owners or an ask, as far as the provider knows. */
	isTraded: boolean;
	/** True: a mint was announced that is not over. */
	isAnnounced: boolean;
};

/** Values of the `lifecycle` filter: those that clients see, or `ended` = stored `minted_out`. */
export type LifecycleFilter = Lifecycle | "ended";

/** The stage of a collection's life, by the facts; see `lifecycleOf`. */
export const LIFECYCLES = ["upcoming", "minting", "minted_out", "secondary"] as const;

export type Lifecycle = (typeof LIFECYCLES)[number];

/**
 * The time without a mint after which a collection with sales, and without a known maximum, is
 * secondary.
 */
const MINT_SILENCE_MS = 86_400_000;

/** A sold-out collection is presented as such for this long after its last mint. */
const SOLD_OUT_SHOWN_MS = 900_000;

/** Says whether the provider knows owners or a floor of a collection row called `c`. */
export const tradedSql = "(coalesce(c.provider_owners, 0) > 0 or c.floor_native is not null)";

/**
 * Returns the stored lifecycle: a pure function of facts, so replays and reorgs cannot make it
 * wrong.
 *
 * A collection that was traded before the index began has sales and no seen mint; it is secondary,
 * whatever its maximum, and so is one that only the provider knows, once it has owners or a floor.
 * A collection without any fact is upcoming only if its mint was announced; otherwise null.
 * `lifecycleSql` says the same in SQL, and a test compares them.
 */
export function lifecycleOf(facts: LifecycleFacts, nowMs: number): Lifecycle | null {
	const { mintedUnits, firstMintAtMs, lastMintAtMs, sales, isTraded, isAnnounced } = facts;
	// A contract that answers 0 has not stated a maximum.
	const maxSupply = facts.maxSupply === 0n ? null : facts.maxSupply;
	if (maxSupply !== null && mintedUnits >= maxSupply) return "minted_out";
	if (firstMintAtMs === null || lastMintAtMs === null) {
		if (sales > 0 || isTraded) return "secondary";
		return isAnnounced ? "upcoming" : null;
	}
	const silent = lastMintAtMs <= nowMs - MINT_SILENCE_MS;
	return sales > 0 && maxSupply === null && silent ? "secondary" : "minting";
}

/**
 * Returns the condition for one filter value. Values select by the presented lifecycle, so that
 * rows match it.
 */
export function lifecycleFilterSql(filter: LifecycleFilter, now: string): string {
	const stored = lifecycleSql(now);
	if (filter === "ended") return `(${stored}) = 'minted_out'`;
	const shown = `c.last_mint_at >= ${now} - interval '${SOLD_OUT_SHOWN_MS} milliseconds'`;
	if (filter === "minted_out") return `((${stored}) = 'minted_out' and ${shown})`;
	if (filter === "secondary") {
		return `((${stored}) = 'secondary' or ((${stored}) = 'minted_out' and (${shown}) is not true))`;
	}
	return `(${stored}) = '${filter}'`;
}

/**
 * Returns `lifecycleOf` as an expression over a row of `collection` called `c`; `now` is a bound
 * time.
 */
export function lifecycleSql(now: string): string {
	return `case
		when c.max_supply > 0 and c.minted_units >= c.max_supply then 'minted_out'
		when c.first_mint_at is null or c.last_mint_at is null
			then case when c.sales > 0 or ${tradedSql} then 'secondary'
				when ${announcedSql(now)} then 'upcoming' end
		when c.sales > 0 and coalesce(c.max_supply, 0) = 0
			and c.last_mint_at <= ${now} - interval '${MINT_SILENCE_MS} milliseconds' then 'secondary'
		else 'minting'
	end`;
}

/**
 * Returns SQL that says whether a collection row called `c` has an announced mint that is not over;
 * `now` is bound.
 */
export function announcedSql(now: string): string {
	return `exists (
			select from market_index.drop as d
			where d.chain_id = c.chain_id and d.contract = c.address
				and (d.ends_at is null or d.ends_at > ${now})
		)`;
}

/**
 * Returns the lifecycle that clients see: a sold-out collection is `minted_out` for 15 minutes
 * after its last mint and `secondary` from then on. The stored one stays, so `ended` still finds
 * it.
 */
export function presentedLifecycle(
	stored: Lifecycle | null,
	lastMintAtMs: number | null,
	nowMs: number,
): Lifecycle | null {
	if (stored !== "minted_out") return stored;
	const shown = lastMintAtMs !== null && nowMs - lastMintAtMs <= SOLD_OUT_SHOWN_MS;
	return shown ? "minted_out" : "secondary";
}
