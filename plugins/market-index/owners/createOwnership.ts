import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { MoveBatch, Ownership, Reorg } from "#plugins/chain-scanner/contract.ts";
import { applyMoves } from "#plugins/market-index/owners/applyMoves.ts";
import { createChoice } from "#plugins/market-index/owners/createChoice.ts";
import { SILENT_DAYS } from "#plugins/market-index/owners/limits.ts";
import { revertMoves } from "#plugins/market-index/owners/revertMoves.ts";
import { canRevert } from "#plugins/market-index/owners/sql/canRevert.ts";
import { dropSets } from "#plugins/market-index/owners/sql/dropSets.ts";
import { extendWalks } from "#plugins/market-index/owners/sql/extendWalks.ts";
import { insertWatched } from "#plugins/market-index/owners/sql/insertWatched.ts";
import { moveWalk } from "#plugins/market-index/owners/sql/moveWalk.ts";
import { nextWalk } from "#plugins/market-index/owners/sql/nextWalk.ts";
import { orphanedSets } from "#plugins/market-index/owners/sql/orphanedSets.ts";
import { pruneJournal } from "#plugins/market-index/owners/sql/pruneJournal.ts";
import { resetWalks } from "#plugins/market-index/owners/sql/resetWalks.ts";
import { restartWalks } from "#plugins/market-index/owners/sql/restartWalks.ts";
import { restWalk } from "#plugins/market-index/owners/sql/restWalk.ts";
import { roomLeft } from "#plugins/market-index/owners/sql/roomLeft.ts";
import { silentSets } from "#plugins/market-index/owners/sql/silentSets.ts";
import { watchedRows } from "#plugins/market-index/owners/sql/watchedRows.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

export type OwnerKeeper = Ownership & {
	/** Takes back what happened above a fork; after the collections that left with it are gone. */
	revert(tx: Tx, reorg: Reorg): Promise<void>;
};

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
