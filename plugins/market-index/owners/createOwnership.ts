import type { Database, Tx } from "#core/db/Database.ts";
import type { MoveBatch, Ownership, Reorg } from "#plugins/chain-scanner/contract.ts";
import { WATCHED_PER_TURN_MAX } from "#plugins/market-index/limits.ts";
import { applyMoves } from "#plugins/market-index/owners/applyMoves.ts";
import { revertMoves } from "#plugins/market-index/owners/revertMoves.ts";
import { extendWalks } from "#plugins/market-index/owners/sql/extendWalks.ts";
import { forgetOwners } from "#plugins/market-index/owners/sql/forgetOwners.ts";
import { insertWatched } from "#plugins/market-index/owners/sql/insertWatched.ts";
import { moveWalk } from "#plugins/market-index/owners/sql/moveWalk.ts";
import { nextWalk } from "#plugins/market-index/owners/sql/nextWalk.ts";
import { pruneJournal } from "#plugins/market-index/owners/sql/pruneJournal.ts";
import { resetWalks } from "#plugins/market-index/owners/sql/resetWalks.ts";
import { restWalk } from "#plugins/market-index/owners/sql/restWalk.ts";
import { wantedCollections } from "#plugins/market-index/owners/sql/wantedCollections.ts";
import { watchedRows } from "#plugins/market-index/owners/sql/watchedRows.ts";

export type OwnerKeeper = Ownership & {
	/** Takes back what happened above a fork; after the collections that left with it are gone. */
	revert(tx: Tx, reorg: Reorg): Promise<void>;
};

/**
 * Who owns what, of at most so many contracts a chain. Up to a contract's `end_block` moves come
 * from its walk, above it from the transfer lane: each move is of one of them, and so counts once.
 */
export function createOwnership(db: Database, { watchedMax }: { watchedMax: number }): OwnerKeeper {
	return {
		async watched(chainId) {
			const rows = await watchedRows(db, chainId);
			return rows.map(({ address }) => address);
		},
		wanted: (chainId) =>
			wantedCollections(db, { chainId, watchedMax, limit: WATCHED_PER_TURN_MAX }),
		watch: insertWatched,
		moved,
		nextWalk: (chainId) => nextWalk(db, chainId),
		async walked(tx, { chainId, walk, fromBlock, toBlock, moves, unsettledFrom }) {
			const { id: collectionId, contract } = walk;
			if (!(await moveWalk(tx, { collectionId, fromBlock, toBlock }))) return false;
			const own = moves
				.filter((move) => move.contract === contract)
				.map((move) => ({ ...move, collectionId }));
			await applyMoves(tx, chainId, { moves: own, unsettledFrom });
			return true;
		},
		rest: (walk, restMs) => restWalk(db, walk.id, restMs),
		async revert(tx, reorg) {
			await revertMoves(tx, reorg);
			await resetWalks(tx, reorg);
			await forgetOwners(tx, reorg);
		},
	};
}

/** What the lane saw, of contracts above their `end_block` only: below it is their walks'. */
async function moved(tx: Tx, batch: MoveBatch): Promise<boolean> {
	const { chainId, fromBlock, toBlock, inOrder, pruneBelow, unsettledFrom } = batch;
	const rows = await watchedRows(tx, chainId);
	const seen = new Set(batch.watched);
	const unseen = rows.filter(({ address, endBlock }) => !seen.has(address) && endBlock < toBlock);
	if (unseen.length > 0) {
		// They came to be watched while these blocks were read: then that is where the lane stood.
		const canWalkOn = inOrder && unseen.every(({ endBlock }) => endBlock === fromBlock - 1);
		if (!canWalkOn) return false;
		await extendWalks(
			tx,
			unseen.map(({ collectionId }) => collectionId),
			toBlock,
		);
	}
	const known = new Map(rows.map((row) => [row.address, row]));
	const own = batch.moves.flatMap((move) => {
		const row = known.get(move.contract);
		if (!row || !seen.has(move.contract) || move.blockNumber <= row.endBlock) return [];
		return [{ ...move, collectionId: row.collectionId }];
	});
	await applyMoves(tx, chainId, { moves: own, unsettledFrom });
	if (inOrder) await pruneJournal(tx, chainId, pruneBelow);
	return true;
}
