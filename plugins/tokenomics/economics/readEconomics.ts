// Reads the rows that the token's economics are rendered from.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { seasonOf } from "#plugins/tokenomics/league.ts";
import { shownRevenue } from "#plugins/tokenomics/ledger/compareLedger.ts";
import { followedNow, rolesOf } from "#plugins/tokenomics/ledger/followContracts.ts";
import { SHOWN_CURRENCIES, STANDINGS_SHOWN } from "#plugins/tokenomics/limits.ts";
import type { Contracts, TokenContracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { entries } from "#plugins/tokenomics/sql/entries.ts";
import { currencies, type KnownCurrency } from "#plugins/tokenomics/sql/followed.ts";
import { type SeasonRow, type Standing, standings } from "#plugins/tokenomics/sql/holders.ts";
import { type Total, totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";

/** Everything that the economics are rendered from. */
export type EconomicsRows = {
	chainId: number;
	token: Address;
	router: Address | null;
	/**
	 * The time when all that is final was last in the ledger; null: for one contract it never was.
	 */
	readAt: Date | null;
	/** True: blocks that were read left the chain, or no node shows them: `readAt` is null too. */
	isRebuilding: boolean;
	/** The default split by the router's events; null: no event was seen. */
	splitBps: readonly number[] | null;
	revenue: readonly Total[];
	earned(currency: Address, bucket: number): bigint;
	paid(currency: Address, bucket: number): bigint;
	/** Burns by the currency that was paid with. */
	burns: readonly Total[];
	last: {
		burned: bigint;
		spent: bigint;
		currency: Address;
		at: Date;
		transactionHash: Hex;
	} | null;
	minted: bigint;
	/** Burned tokens, by any account. */
	tokenBurned: bigint;
	holders: number;
	known: ReadonlyMap<Address, KnownCurrency>;
	season: SeasonRow | null;
	standings: readonly Standing[];
};

const BUCKETS = [0, 1, 2, 3];

/**
 * Reads the rows of the economics; null where the token is not launched. Each statement reads a
 * bounded number of rows by an index, however many events the ledger has.
 */
export async function readEconomics(
	{ db, contracts }: { db: Database; contracts: Contracts },
	nowMs: number,
): Promise<EconomicsRows | null> {
	const chainId = contracts.homeChain?.id;
	const found = chainId === undefined ? null : await contracts.addressesOf(chainId);
	if (!found) return null;
	const { name } = seasonOf(nowMs);
	const [reading, money, burns, supply, season, ranked] = await Promise.all([
		readingOf(db, found),
		readMoney(db, found, contracts.currencies),
		readBurns(db, found),
		readSupply(db, found),
		standings.season(db, name),
		standings.first(db, name, STANDINGS_SHOWN),
	]);
	const { token, router } = found;
	const named = [
		...[token, ...money.revenue.map(({ currency }) => currency)],
		...burns.burns.map(({ currency }) => currency),
	];
	const known = await currencies.among(db, found.chainId, [...new Set(named)]);
	return {
		...{
			chainId: found.chainId,
			token,
			router,
			...reading,
			season,
			standings: ranked,
			...money,
			...burns,
			...supply,
		},
		known: new Map(known.map((one) => [one.address, one])),
	};
}

async function readingOf(
	db: Database,
	contracts: TokenContracts,
): Promise<Pick<EconomicsRows, "readAt" | "isRebuilding">> {
	const rows = await followedNow(db, contracts);
	const times = rows.flatMap(({ readAt }) => (readAt === null ? [] : [readAt.getTime()]));
	const isWhole = times.length >= rolesOf(contracts).size;
	return {
		readAt: isWhole ? new Date(Math.min(...times)) : null,
		isRebuilding: rows.some(({ rebuildsSince }) => rebuildsSince !== null),
	};
}

async function readMoney(
	db: Database,
	{ chainId, router }: TokenContracts,
	named: readonly Address[],
): Promise<Pick<EconomicsRows, "splitBps" | "revenue" | "earned" | "paid">> {
	if (router === null) return { splitBps: null, revenue: [], earned: () => 0n, paid: () => 0n };
	const of = { chainId, contract: router };
	const [splitBps, revenue] = await Promise.all([
		entries.defaultSplit(db, chainId, router),
		shownRevenue(db, of, { named, limit: SHOWN_CURRENCIES }),
	]);
	const keys = revenue.flatMap(({ currency }) =>
		BUCKETS.flatMap((bucket) => [
			totalKey("earned", { currency, bucket }),
			totalKey("share_paid", { currency, bucket }),
		]),
	);
	const rows = await totals.ofKeys(db, of, keys);
	const sums = new Map(
		rows.map(({ kind, currency, bucket, amount }) => [`${kind} ${currency} ${bucket}`, amount]),
	);
	return {
		...{ splitBps, revenue },
		earned: (currency, bucket) => sums.get(`earned ${currency} ${bucket}`) ?? 0n,
		paid: (currency, bucket) => sums.get(`share_paid ${currency} ${bucket}`) ?? 0n,
	};
}

async function readBurns(
	db: Database,
	{ chainId, burner }: TokenContracts,
): Promise<Pick<EconomicsRows, "burns" | "last">> {
	if (burner === null) return { burns: [], last: null };
	const of = { chainId, contract: burner };
	const [burns, newest] = await Promise.all([
		totals.oldest(db, of, { kind: "buyback_burned", limit: SHOWN_CURRENCIES }),
		entries.newestBurn(db, of),
	]);
	if (!newest?.burned || !newest.amount || !newest.currency) return { burns, last: null };
	const { burned, amount, currency, at, transactionHash } = newest;
	const last = { burned: BigInt(burned), spent: BigInt(amount), currency, at, transactionHash };
	return { burns, last };
}

async function readSupply(
	db: Database,
	{ chainId, token }: TokenContracts,
): Promise<Pick<EconomicsRows, "minted" | "tokenBurned" | "holders">> {
	const keys = [totalKey("minted"), totalKey("burned"), totalKey("holders")];
	const rows = await totals.ofKeys(db, { chainId, contract: token }, keys);
	const row = (kind: string) => rows.find((one) => one.kind === kind);
	return {
		minted: row("minted")?.amount ?? 0n,
		tokenBurned: row("burned")?.amount ?? 0n,
		holders: row("holders")?.entries ?? 0,
	};
}
