// Keeps owners by transfers, from walks and from the head.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { JobQueue } from "#core/queue.ts";
import type { MoveBatch, Ownership, Reorg, TokenMove } from "#plugins/chain-scanner/contract.ts";
import { positionOf } from "#plugins/market-index/event/MarketEvent.ts";
import {
	createSpanMap,
	type OwnedBefore,
	type SpanChanges,
	type UnitsAdded,
} from "#plugins/market-index/owners/createSpanMap.ts";
import {
	REPLACE_EVERY_MS,
	SILENT_DAYS,
	WATCHED_PER_TURN_MAX,
} from "#plugins/market-index/owners/jobs.ts";
import {
	dropSets,
	extendWalks,
	insertWatched,
	moveWalk,
	nextWalk,
	orphanedSets,
	resetWalks,
	restartWalks,
	restWalk,
	roomLeft,
	silentSets,
	wantedCollections,
	watchedRows,
} from "#plugins/market-index/owners/sql/ownership.ts";
import {
	canRevert,
	keepUnits,
	pruneJournal,
	takeBefore,
	takeUnits,
} from "#plugins/market-index/owners/sql/undo.ts";
import { readSpans } from "#plugins/market-index/owners/sql/units.ts";
import { writeChanges } from "#plugins/market-index/owners/writeChanges.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/** A transfer of a contract whose owners are kept, with the set that they are kept in. */
type OwnedMove = TokenMove & { setId: number };

export type OwnerKeeper = Ownership & {
	/** Takes back what happened above a fork; after the collections that left with it are gone. */
	revert(tx: Tx, reorg: Reorg): Promise<void>;
};

/** Returns the first position in a block. */
const startOf = (blockNumber: number) => positionOf({ blockNumber, logIndex: 0, subIndex: 0 });

/**
 * Makes the keeper of owners, for a limited number of contracts a chain. Up to a contract's
 * `end_block` transfers come from its walk, above it from the transfer lane: each comes from one of
 * them, and so counts once.
 */
export function createOwnership(
	db: Database,
	options: { watchedMax: number; clock: Clock; queue: Pick<JobQueue, "add"> },
): OwnerKeeper {
	const { watchedMax, queue } = options;
	return {
		async watched(chainId) {
			const rows = await watchedRows(db, chainId);
			return rows.map(({ address }) => address);
		},
		wanted: createChoice(db, options),
		async watch(tx, watch) {
			const { chainId, wanted } = watch;
			const over = wanted.length - (await roomLeft(tx, { chainId, watchedMax }));
			const silent = { chainId, days: SILENT_DAYS, limit: Math.max(0, over) };
			await dropSets(tx, await silentSets(tx, silent));
			await insertWatched(tx, watch);
		},
		moved,
		nextWalk: (chainId) => nextWalk(db, chainId),
		async walked(tx, { chainId, walk, fromBlock, toBlock, moves, unsettledFrom }) {
			const { id: setId, contract } = walk;
			const moved = await moveWalk(tx, { setId, fromBlock, toBlock });
			if (!moved) return false;
			const own = moves
				.filter((move) => move.contract === contract)
				.map((move) => ({ ...move, setId }));
			await applyMoves(tx, chainId, { moves: own, unsettledFrom });
			const settledBelow = settledBelowOf({ fromBlock, toBlock, unsettledFrom });
			if (settledBelow > 0) await pruneJournal(tx, chainId, settledBelow);
			// Tokens that only the walk has seen would wait for the next mint.
			if (moved.isOver) await queue.add(tx, [learnTokensJob(moved.collectionId)]);
			return true;
		},
		rest: (walk, restMs) => restWalk(db, walk.id, restMs),
		async revert(tx, reorg) {
			if (await canRevert(tx, reorg)) {
				await revertMoves(tx, reorg);
				await resetWalks(tx, reorg);
			} else {
				await restartWalks(tx, reorg);
			}
			await dropSets(tx, await orphanedSets(tx, reorg.chainId));
		},
	};
}

/**
 * Applies transfers, each once and in any order, under the chain's lock. Those at `unsettledFrom`
 * or later are journaled, with what they replaced.
 */
async function applyMoves(
	tx: Tx,
	chainId: number,
	{ moves, unsettledFrom }: { moves: readonly OwnedMove[]; unsettledFrom: number },
): Promise<void> {
	if (moves.length === 0) return;
	const keepFrom = startOf(Math.max(0, unsettledFrom));
	const spans = await putSpans(tx, moves, keepFrom);
	const added = unitsOf(moves);
	const journaled = added.filter(({ block }) => block >= unsettledFrom);
	await keepUnits(tx, chainId, journaled);
	await writeChanges(tx, chainId, { spans, added, sign: 1n });
}

/**
 * Returns what transfers add to accounts: of an ERC-1155 for both parties, of an ERC-721 only
 * minted and destroyed ids. Several of one block, id and account become one, except for the zero
 * address, where minted and destroyed units must not cancel out.
 */
function unitsOf(moves: readonly OwnedMove[]): UnitsAdded[] {
	const sums = new Map<string, UnitsAdded>();
	for (const move of moves) {
		const { from, to, standard, quantity, tokenId, lastTokenId } = move;
		const units = standard === "erc1155" ? quantity : lastTokenId - tokenId + 1n;
		add(sums, move, from, -units);
		add(sums, move, to, units);
	}
	return [...sums.values()].filter(({ units }) => units !== 0n);
}

/**
 * Makes a function that chooses collections whose owners should be kept: the most active ones while
 * there is room. After that, and only now and then, active ones in place of silent ones.
 */
function createChoice(
	db: Database,
	{ watchedMax, clock }: { watchedMax: number; clock: Clock },
): (chainId: number) => Promise<number[]> {
	const askedAtMs = new Map<number, number>();
	return async (chainId) => {
		const room = await roomLeft(db, { chainId, watchedMax });
		if (room > 0) {
			const limit = Math.min(room, WATCHED_PER_TURN_MAX);
			return wantedCollections(db, { chainId, limit, activeDays: null });
		}
		const nowMs = clock.nowMs();
		if (nowMs - (askedAtMs.get(chainId) ?? Number.NEGATIVE_INFINITY) < REPLACE_EVERY_MS) return [];
		askedAtMs.set(chainId, nowMs);
		const silent = await silentSets(db, {
			chainId,
			days: SILENT_DAYS,
			limit: WATCHED_PER_TURN_MAX,
		});
		// Those above a limit that the operator lowered go first, and are not replaced.
		const limit = Math.max(0, silent.length + room);
		return wantedCollections(db, { chainId, limit, activeDays: SILENT_DAYS });
	};
}

/**
 * Takes back every transfer above a fork: what it replaced is valid again, as if the transfer had
 * never been. The journal says which ids are concerned; nothing else is read.
 */
async function revertMoves(tx: Tx, reorg: Reorg): Promise<void> {
	const [units, spansBefore, rows] = await Promise.all([
		takeUnits(tx, reorg),
		takeBefore(tx, reorg),
		watchedRows(tx, reorg.chainId),
	]);
	// Journal entries of sets that are not kept any more are ignored.
	const kept = new Set(rows.map(({ setId }) => setId));
	const added = units.filter(({ setId }) => kept.has(setId));
	const before = spansBefore.filter(({ setId }) => kept.has(setId));
	if (added.length === 0 && before.length === 0) return;
	const spans = await restoreSpans(tx, before, reorg.forkBlock);
	await writeChanges(tx, reorg.chainId, { spans, added, sign: -1n });
}

/**
 * Applies what the lane saw, of contracts above their `end_block` only: below it their walks do.
 */
async function moved(tx: Tx, batch: MoveBatch): Promise<boolean> {
	const { chainId, fromBlock, toBlock, inOrder, pruneBelow, unsettledFrom } = batch;
	const rows = await watchedRows(tx, chainId);
	const seen = new Set(batch.watched);
	const unseen = rows.filter(({ address, endBlock }) => !seen.has(address) && endBlock < toBlock);
	if (unseen.length > 0) {
		// They came to be watched while these blocks were read: then their walks end where the lane
		// was.
		const canWalkOn = inOrder && unseen.every(({ endBlock }) => endBlock === fromBlock - 1);
		if (!canWalkOn) return false;
		await extendWalks(
			tx,
			unseen.map(({ setId }) => setId),
			toBlock,
		);
	}
	const known = new Map(rows.map((row) => [row.address, row]));
	const own = batch.moves.flatMap((move) => {
		const row = known.get(move.contract);
		if (!row || !seen.has(move.contract) || move.blockNumber <= row.endBlock) return [];
		return [{ ...move, setId: row.setId }];
	});
	await applyMoves(tx, chainId, { moves: own, unsettledFrom });
	const settledBelow = settledBelowOf({ fromBlock, toBlock, unsettledFrom });
	if (inOrder) await pruneJournal(tx, chainId, Math.max(pruneBelow, settledBelow));
	return true;
}

/**
 * Returns where the journal begins again after blocks that were settled when they came; 0 if none
 * was.
 */
function settledBelowOf(read: Pick<MoveBatch, "fromBlock" | "toBlock" | "unsettledFrom">): number {
	const { fromBlock, toBlock, unsettledFrom } = read;
	return fromBlock < unsettledFrom ? Math.min(toBlock + 1, unsettledFrom) : 0;
}

async function putSpans(
	tx: Tx,
	moves: readonly OwnedMove[],
	keepFrom: bigint,
): Promise<Map<number, SpanChanges>> {
	const spans = moves
		.filter(({ standard }) => standard === "erc721")
		.map((move) => ({
			setId: move.setId,
			from: move.tokenId,
			to: move.lastTokenId,
			owner: move.to,
			position: positionOf(move),
		}));
	const changes = new Map<number, SpanChanges>();
	if (spans.length === 0) return changes;
	const stored = await readSpans(tx, spans);
	for (const [setId, own] of Map.groupBy(spans, (span) => span.setId)) {
		const map = createSpanMap(stored.get(setId) ?? []);
		for (const { from, to, owner, position } of own)
			map.put({ from, to, owner, position }, keepFrom);
		changes.set(setId, map.changes());
	}
	return changes;
}

function add(
	sums: Map<string, UnitsAdded>,
	{ setId, blockNumber: block, standard, tokenId }: OwnedMove,
	owner: Address,
	units: bigint,
): void {
	const isSupply = owner === ZERO_ADDRESS;
	if (standard === "erc721" && !isSupply) return;
	const id = standard === "erc721" ? null : tokenId;
	const key = `${setId} ${block} ${id} ${owner} ${isSupply && units > 0n}`;
	const known = sums.get(key);
	if (known) known.units += units;
	else sums.set(key, { setId, block, tokenId: id, owner, units });
}

async function restoreSpans(
	tx: Tx,
	before: readonly Omit<OwnedBefore, "until">[],
	forkBlock: number,
): Promise<Map<number, SpanChanges>> {
	const changes = new Map<number, SpanChanges>();
	if (before.length === 0) return changes;
	const gone = positionOf({ blockNumber: forkBlock + 1, logIndex: 0, subIndex: 0 });
	const stored = await readSpans(tx, before);
	for (const [setId, own] of Map.groupBy(before, (span) => span.setId)) {
		const map = createSpanMap(stored.get(setId) ?? []);
		map.takeOut(gone);
		for (const { from, to, owner, position } of own) {
			if (owner === null || position >= gone) continue;
			// Which of these are settled is not known here: all are journaled, and pruned in time.
			map.put({ from, to, owner, position }, 0n);
		}
		changes.set(setId, map.changes());
	}
	return changes;
}
