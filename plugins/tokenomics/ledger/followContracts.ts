// Reads final events of the token's contracts into the ledger, and takes them out again.

import { type Address, type Hex, hexQuantity, PLACE_MAX, type RawLog } from "#core/chain/Hex.ts";
import { parseHead } from "#core/chain/heads/Head.ts";
import { type FinalLogs, readFinalLogs } from "#core/chain/reads/readFinalLogs.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import {
	applyEvents,
	createChanges,
	DEFAULT_SPLIT,
	sumTransfers,
} from "#plugins/tokenomics/ledger/applyEvents.ts";
import { type LedgerEvent, type Role, readLedgerEvent } from "#plugins/tokenomics/ledgerEvents.ts";
import { RANGE_BLOCKS_MAX } from "#plugins/tokenomics/limits.ts";
import type { TokenContracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { entries, transfers } from "#plugins/tokenomics/sql/entries.ts";
import { type Followed, followed } from "#plugins/tokenomics/sql/followed.ts";
import { holders } from "#plugins/tokenomics/sql/holders.ts";
import { totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";

export type FollowDeps = {
	db: Database;
	clock: Clock;
	rpc: Rpc;
	finalDepth: number;
	/** Called before and after each commit, with the step's name; tests stop the process there. */
	observe?: ((step: string) => Promise<void>) | null;
};

type FollowStep =
	/** Everything that is final is in the ledger. */
	| { kind: "caught_up" }
	| { kind: "more" }
	/** No node shows the last block that was read: it is not known whether it left the chain. */
	| { kind: "doubted" }
	/** The last blocks that were read left the chain, though they were final: nothing was changed. */
	| { kind: "forked"; contracts: readonly Followed[] };

type Found = Extract<FinalLogs, { kind: "logs" }>;

/** Rows that are read at once. */
const PAGE = 2_000;

/**
 * Takes the next range of final blocks into the ledger: entries, sums, balances and the cursor in
 * one transaction. Contracts that were read less far are read first, until all are in step.
 */
export async function followContracts(
	deps: FollowDeps,
	contracts: TokenContracts,
	signal: AbortSignal,
): Promise<FollowStep> {
	const { rpc, finalDepth } = deps;
	const rows = await beginAll(deps, contracts);
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
			return await lookAgain(deps, { group, finalBlock: found.finalBlock, signal });
		case "forked":
			return { kind: "forked", contracts: group };
		default:
			await store(deps, { group, found });
			return others.length === 0 && found.to === found.finalBlock
				? { kind: "caught_up" }
				: { kind: "more" };
	}
}

/**
 * Takes a contract's events above a block out of the ledger, with all that they changed, and sets
 * its cursor there; in the caller's transaction. Sums of money are added up anew from the entries
 * that stay. A token's transfers are undone one by one back to the last agreement, and as a whole
 * below it.
 */
export async function rewindContract(
	tx: Tx,
	contract: Followed,
	{
		to,
		burners,
	}: { to: { block: number; hash: Hex | null; at: Date }; burners: ReadonlySet<Address> },
): Promise<void> {
	const { chainId, address } = contract;
	if (contract.role === "token") await undoTransfers(tx, contract, { block: to.block, burners });
	else {
		await entries.deleteAbove(tx, chainId, { contract: address, block: to.block });
		await totals.deleteAll(tx, { chainId, contract: address });
		await totals.rebuild(tx, { chainId, contract: address }, DEFAULT_SPLIT);
	}
	await followed.moveBack(tx, contract, to);
}

/** Reads how far each of these contracts is in the ledger; one that was never read is left out. */
export async function followedNow(db: Queryable, contracts: TokenContracts): Promise<Followed[]> {
	const roles = rolesOf(contracts);
	const rows = await followed.all(db, contracts.chainId);
	return rows.filter(({ address, role }) => roles.get(address) === role);
}

/** Returns which contracts are followed, and as what. */
export function rolesOf({ token, router, burner }: TokenContracts): Map<Address, Role> {
	const roles = new Map<Address, Role>([[token, "token"]]);
	if (router !== null) roles.set(router, "router");
	if (burner !== null) roles.set(burner, "burner");
	return roles;
}

/** Returns every burner that a chain ever had. */
export function burnersIn(rows: readonly Followed[]): Set<Address> {
	return new Set(rows.filter(({ role }) => role === "burner").map(({ address }) => address));
}

/** Returns the rows of these contracts, and makes them; one that begins earlier is read anew. */
async function beginAll({ db, clock }: FollowDeps, contracts: TokenContracts): Promise<Followed[]> {
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
				to: { block: fromBlock - 1, hash: null, at: new Date(clock.nowMs()) },
				burners: burnersIn(await followed.all(tx, chainId)),
			});
			await followed.beginEarlier(tx, row, fromBlock);
		}
		return (await followed.all(tx, chainId)).filter(isWanted);
	});
}

/**
 * Asks for the block that was read last, where nothing behind it is final: on the chain that goes
 * on, all holds for this moment too. A chain that was rolled back is shorter for a while, so that
 * there is nothing to read is no proof of anything.
 */
async function lookAgain(
	{ db, clock, rpc }: FollowDeps,
	asked: { group: readonly Followed[]; finalBlock: number; signal: AbortSignal },
): Promise<FollowStep> {
	const { group, finalBlock, signal } = asked;
	const at = new Date(clock.nowMs());
	const [first] = group;
	if (!first || first.readHash === null) {
		await followed.look(db, group, at);
		return { kind: "caught_up" };
	}
	const { readTo, readHash } = first;
	const digest = (result: unknown) => parseHead(result)?.hash ?? "none";
	const [answer] = await rpc.batch(
		[{ method: "eth_getBlockByNumber", params: [hexQuantity(readTo), false] }],
		{ signal, minBlock: readTo, quorum: { digest } },
	);
	const hash = parseHead(answer)?.hash;
	if (hash !== undefined && hash !== readHash) return { kind: "forked", contracts: group };
	// Nobody has the block, or only what is below it is final now: that is no news of this moment.
	if (hash === undefined) await followed.doubt(db, group, at);
	else if (finalBlock >= readTo) await followed.look(db, group, at);
	return { kind: hash === undefined ? "doubted" : "caught_up" };
}

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

function eventsOf(
	logs: readonly RawLog[],
	{ address, role }: { address: Address; role: Role },
): LedgerEvent[] {
	return logs.flatMap((log) => {
		const event = log.address === address ? readLedgerEvent(log, role) : null;
		return event ? [event] : [];
	});
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

async function undoTransfers(
	tx: Tx,
	{ chainId, address: token, agreedTo }: Followed,
	{ block, burners }: { block: number; burners: ReadonlySet<Address> },
): Promise<void> {
	const of = { chainId, token };
	if (block < agreedTo) {
		await holders.deleteAll(tx, of);
		await transfers.deleteAbove(tx, of, -1);
		await totals.deleteAll(tx, { chainId, contract: token });
		return;
	}
	let grew = 0;
	for (let place = { block, logIndex: PLACE_MAX }; ; ) {
		const page = await transfers.above(tx, of, { ...place, limit: PAGE });
		const last = page.at(-1);
		if (!last) break;
		place = last;
		const { balances, changes } = sumTransfers(page, burners);
		const undone = new Map([...balances].map(([holder, change]) => [holder, -change]));
		grew += await holders.add(tx, of, undone);
		const taken = changes.all().map((change) => {
			return { ...change, entries: -change.entries, amount: -change.amount, lastBlock: block };
		});
		await totals.add(tx, { chainId, contract: token }, taken);
	}
	if (grew !== 0) {
		const changes = createChanges();
		const change = { amount: 0n, burned: 0n, block, atMs: null };
		changes.add(totalKey("holders"), { ...change, entries: grew });
		await totals.add(tx, { chainId, contract: token }, changes.all());
	}
	await transfers.deleteAbove(tx, of, block);
}
