import type { Address } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import { type FinalLogs, readFinalLogs } from "#core/chain/reads/readFinalLogs.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import {
	type LedgerEvent,
	type Role,
	readLedgerEvent,
} from "#plugins/tokenomics/events/ledgerEvents.ts";
import { applyEvents } from "#plugins/tokenomics/ledger/applyEvents.ts";
import { rewindContract } from "#plugins/tokenomics/ledger/rewindContract.ts";
import { RANGE_BLOCKS_MAX } from "#plugins/tokenomics/limits.ts";
import type { TokenContracts } from "#plugins/tokenomics/manifest/createContracts.ts";
import { type Followed, followed } from "#plugins/tokenomics/sql/followed.ts";

export type FollowDeps = {
	db: Database;
	clock: Clock;
	rpc: Rpc;
	finalDepth: number;
	/** Told before and after each commit; tests end there. */
	observe?: ((step: string) => Promise<void>) | null;
};

export type FollowStep =
	/** Everything that is final is in the ledger. */
	| { kind: "caught_up" }
	| { kind: "more" }
	/** What was read up to there left the chain, though it was final: nothing was changed. */
	| { kind: "forked"; contracts: readonly Followed[] };

/**
 * Takes the next range of final blocks into the ledger: entries, sums, balances and the cursor in
 * one transaction. Contracts that were read less far are read first, until all are in step.
 */
export async function followContracts(
	deps: FollowDeps,
	contracts: TokenContracts,
	signal: AbortSignal,
): Promise<FollowStep> {
	const { db, rpc, finalDepth } = deps;
	const rows = await beginAll(db, contracts);
	const lowest = Math.min(...rows.map(({ readTo }) => readTo));
	const group = rows.filter(({ readTo }) => readTo === lowest);
	const [first] = group;
	if (!first) return { kind: "caught_up" };
	const others = rows.filter(({ readTo }) => readTo > lowest).map(({ readTo }) => readTo);
	const roles = new Map(group.map(({ address, role }) => [address, role]));
	const found = await readFinalLogs(rpc, {
		...{ addresses: [...roles.keys()], fromBlock: lowest + 1, finalDepth, signal },
		blocksMax: RANGE_BLOCKS_MAX,
		toBlockMax: others.length > 0 ? Math.min(...others) : undefined,
		after: first.readHash === null ? null : { block: lowest, hash: first.readHash },
		isTimed: ({ address }) => roles.get(address) !== "token",
	});
	switch (found.kind) {
		case "none":
			// Nothing is there to read, and that was learned now.
			await followed.look(db, group, new Date(deps.clock.nowMs()));
			return { kind: "caught_up" };
		case "forked":
			return { kind: "forked", contracts: group };
		default:
			await store(deps, { group, found });
			return others.length === 0 && found.to === found.finalBlock
				? { kind: "caught_up" }
				: { kind: "more" };
	}
}

/** Returns the rows of these contracts, and makes them; one that begins earlier is read anew. */
async function beginAll(db: Database, contracts: TokenContracts): Promise<Followed[]> {
	const { chainId, fromBlock } = contracts;
	const wanted = rolesOf(contracts);
	const isWanted = ({ address, role }: Followed) => wanted.get(address) === role;
	const rows = await followedNow(db, contracts);
	const isReady = rows.length === wanted.size && rows.every((row) => row.fromBlock <= fromBlock);
	if (isReady) return rows;
	return db.transaction(async (tx) => {
		for (const [address, role] of wanted) {
			await followed.begin(tx, { chainId, address, role }, fromBlock);
		}
		for (const row of await followed.lockAll(tx, chainId)) {
			if (!isWanted(row) || row.fromBlock <= fromBlock) continue;
			await rewindContract(tx, row, {
				to: { block: fromBlock - 1, hash: null },
				burners: burnersIn(await followed.all(tx, chainId)),
			});
			await followed.beginEarlier(tx, row, fromBlock);
		}
		return (await followed.all(tx, chainId)).filter(isWanted);
	});
}

/** Returns which contracts are followed, and as what. */
export function rolesOf({ token, router, burner }: TokenContracts): Map<Address, Role> {
	const roles = new Map<Address, Role>([[token, "token"]]);
	if (router !== null) roles.set(router, "router");
	if (burner !== null) roles.set(burner, "burner");
	return roles;
}

/** Reads how far each of these contracts is in the ledger; who was never read is left out. */
export async function followedNow(db: Queryable, contracts: TokenContracts): Promise<Followed[]> {
	const roles = rolesOf(contracts);
	const rows = await followed.all(db, contracts.chainId);
	return rows.filter(({ address, role }) => roles.get(address) === role);
}

/** Returns every burner that a chain ever had. */
export function burnersIn(rows: readonly Followed[]): Set<Address> {
	return new Set(rows.filter(({ role }) => role === "burner").map(({ address }) => address));
}

type Found = Extract<FinalLogs, { kind: "logs" }>;

async function store(
	{ db, clock, observe = null }: FollowDeps,
	{ group, found }: { group: readonly Followed[]; found: Found },
): Promise<void> {
	const events = group.flatMap(({ address, role }) => eventsOf(found.logs, { address, role }));
	events.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
	await observe?.("before_commit");
	await db.transaction(async (tx) => {
		const rows = await whereTheyWere(tx, group);
		if (!rows) return;
		const chainId = group[0]?.chainId ?? 0;
		// Also burners that were replaced: what is counted must be what is undone one day.
		await applyEvents(tx, { chainId, events, timeMs: found.timeMs, burners: burnersIn(rows) });
		// Before all that is final is read, sums are of no moment that anybody could name.
		const at = found.to === found.finalBlock ? new Date(clock.nowMs()) : null;
		for (const row of group) {
			await followed.moveTo(tx, row, { block: found.to, hash: found.toHash, at });
		}
		await observe?.("in_commit");
	});
	await observe?.("after_commit");
}

/** Locks and returns all rows; null where another process has read further, or back, since. */
async function whereTheyWere(tx: Tx, group: readonly Followed[]): Promise<Followed[] | null> {
	const [first] = group;
	if (!first) return null;
	const now = await followed.lockAll(tx, first.chainId);
	const isSame = group.every(({ address, role, readTo, readHash }) =>
		now.some(
			(row) =>
				row.address === address &&
				row.role === role &&
				row.readTo === readTo &&
				row.readHash === readHash,
		),
	);
	return isSame ? now : null;
}

function eventsOf(
	logs: readonly RawLog[],
	{ address, role }: { address: Address; role: Role },
): LedgerEvent[] {
	return logs.flatMap((log) => {
		const event = log.address === address ? readLedgerEvent(log, role) : null;
		return event ? [event] : [];
	});
}
