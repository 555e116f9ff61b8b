// Brings the registry up to date with the issuer's list and the chain.

import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import { unreachable } from "#core/fault.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Log } from "#core/log.ts";
import { SECOND_MS } from "#core/time.ts";
import { checkTokens, probeTransfers } from "#plugins/trading/registry/checkTokens.ts";
import type { IssuerList, ListRead } from "#plugins/trading/registry/createIssuerList.ts";
import { type Candidate, checkFeeds, planSync } from "#plugins/trading/registry/planSync.ts";
import { type AssetRow, assetRows } from "#plugins/trading/sql/assets.ts";

export type SyncDeps = {
	db: Database;
	clock: Clock;
	log: Log;
	rpc: Rpc;
	chainId: number;
	/** Null where the deployment reads no list: stock tokens stay as they are. */
	list: IssuerList | null;
	/** Tokens of the configuration: the wrapped coin, and the settlement currencies. */
	named: readonly Candidate[];
	feeds: ReadonlyMap<Address, Address>;
	/** Pools of the configuration, which hold tokens for the transfer probe. */
	pools: readonly { address: Address; tokens: readonly Address[] }[];
};

type SyncOutcome = "synced" | "list_failed" | "list_doubtful";

type RegistryHealthOptions = {
	db: Queryable;
	clock: Clock;
	chainId: number;
	/** The interval of updates of the registry. */
	everyMs: number;
};

/** `/readyz` is public, so an answer is reused for this long. */
const FRESH_MS = 5_000;
/** Limits the missed runs before it is reported. */
const RUNS_MISSED_MAX = 3;

/**
 * Returns the function that updates the registry: it reads the issuer's list, checks every token on
 * chain, and stores both in one transaction. Throws where the chain does not answer; on any failure
 * the registry stays as it was.
 */
export function createSync(deps: SyncDeps): (signal: AbortSignal) => Promise<SyncOutcome> {
	const { db, clock, log, rpc, chainId, list, named, feeds, pools } = deps;
	return async (signal) => {
		const read = await list?.read(signal);
		const listed = candidatesOf(read);
		const rows = await assetRows.all(db, chainId);
		// Without a list, known listed tokens are checked again.
		const stocks = listed ?? rows.filter(isListedStock).map(knownCandidate);
		const own = new Set(named.map(({ address }) => address));
		const candidates = [...named, ...stocks.filter(({ address }) => !own.has(address))];
		const addresses = [...new Set(candidates.map(({ address }) => address))];
		const check = await checkTokens(rpc, { addresses, signal });
		const holders = new Map(addresses.flatMap((token) => holderOf(pools, token)));
		const transfers = await probeTransfers(rpc, { holders, block: check.block, signal });
		const now = new Date(clock.nowMs());
		const ofRows = rows.flatMap(({ feed }) => (feed ? [feed] : []));
		const asked = { feeds: [...feeds.values(), ...ofRows], nowMs: now.getTime(), signal };
		const unreadableFeeds = await checkFeeds(rpc, asked);
		const outcome = await db.transaction(async (tx): Promise<SyncOutcome> => {
			const plan = planSync({
				...{ chainId, candidates, check, transfers, feeds, unreadableFeeds, now },
				rows: await assetRows.lockAll(tx, chainId),
				unreadable: read?.kind === "list" ? read.unreadable.uids : new Set(),
				hasList: listed !== null,
			});
			switch (plan.kind) {
				case "doubtful":
					log.error("the issuer's list lacks too many tokens and is not believed", { ...plan });
					return "list_doubtful";
				case "write":
					for (const row of inOrder(plan.rows)) await assetRows.write(tx, row);
					for (const change of plan.changes) log.info("a token of the registry moved", change);
					return list !== null && listed === null ? "list_failed" : "synced";
				default:
					return unreachable(plan);
			}
		});
		logList(log, read);
		return outcome;
	};
}

/**
 * Makes the check of the registry's health. Reports tokens that were not checked for three runs,
 * and tokens that came back to the list and wait for an operator.
 */
export function registryHealth(options: RegistryHealthOptions): () => Promise<Degradation[]> {
	const { db, clock, chainId, everyMs } = options;
	let newest: { atMs: number; found: Degradation[] } | null = null;

	async function read(nowMs: number): Promise<Degradation[]> {
		const state = await assetRows.health(db, chainId);
		const found: Degradation[] = [];
		const uncheckedMs = state.checkedAt === null ? 0 : nowMs - state.checkedAt.getTime();
		if (uncheckedMs > everyMs * RUNS_MISSED_MAX) {
			found.push({
				code: "stock_registry_stale",
				count: state.listed,
				oldestAgeSeconds: Math.floor(uncheckedMs / SECOND_MS),
				action: "Look at the nodes of the stock tokens' chain: tokens are not checked any more.",
			});
		}
		if (state.waiting > 0) {
			const sinceMs = state.waitingSince?.getTime() ?? nowMs;
			found.push({
				code: "stock_tokens_to_review",
				count: state.waiting,
				oldestAgeSeconds: Math.max(0, Math.floor((nowMs - sinceMs) / SECOND_MS)),
				action: "Approve or refuse the tokens that came back: /v1/admin/stock-tokens.",
			});
		}
		return found;
	}

	return async () => {
		const nowMs = clock.nowMs();
		if (newest && Math.abs(nowMs - newest.atMs) < FRESH_MS) return newest.found;
		const found = await read(nowMs);
		newest = { atMs: nowMs, found };
		return found;
	};
}

/** Returns the listed tokens; null where no list was read, or it is empty: that is an outage. */
function candidatesOf(read: ListRead | undefined): Candidate[] | null {
	if (read?.kind !== "list" || read.assets.length === 0) return null;
	const unique = new Map(read.assets.map((asset) => [asset.address, asset]));
	return [...unique.values()].map((asset) => ({ ...asset, kind: "stock" }));
}

function isListedStock({ isListed, kind }: AssetRow): boolean {
	return isListed && kind === "stock";
}

/**
 * Returns a stored token as a candidate. A paused one stays paused until a list says otherwise: the
 * chain alone does not show it.
 */
function knownCandidate(row: AssetRow): Candidate {
	const { address, kind, uid, symbol, name, decimals, status } = row;
	return { address, kind, uid, symbol, name, decimals, isActive: status !== "paused" };
}

function holderOf(pools: SyncDeps["pools"], token: Address): [Address, Address][] {
	const pool = pools.find(({ tokens }) => tokens.includes(token));
	return pool ? [[token, pool.address]] : [];
}

/** Returns rows in the order in which `lockAll` locks them, so two processes cannot deadlock. */
function inOrder(rows: readonly AssetRow[]): AssetRow[] {
	return rows.toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

function logList(log: Log, read: ListRead | undefined): void {
	if (read?.kind === "failed") log.warn("the issuer's list was not read", { detail: read.detail });
	else if (read?.kind === "list" && read.assets.length === 0) {
		log.warn("the issuer's list is empty and is not believed");
	} else if (read?.kind === "list" && read.unreadable.rows > 0) {
		log.warn("rows of the issuer's list cannot be read", { rows: read.unreadable.rows });
	}
}
