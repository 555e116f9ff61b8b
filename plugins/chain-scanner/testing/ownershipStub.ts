import type { Address } from "#core/chain/Hex.ts";
import type { Ownership, TokenMove, Walk } from "#plugins/chain-scanner/contract.ts";

export type OwnershipStub = ReturnType<typeof createOwnershipStub>;

/**
 * Owners' keeper in memory: what it is told counts once the transaction has committed. It decides
 * nothing and only remembers, so that a test sees what the scanner would have it store.
 */
export function createOwnershipStub() {
	const walks = new Map<Address, Walk & { resting: boolean }>();
	const wanted: Address[] = [];
	/** Every move by the way it came. */
	const moves: (TokenMove & { by: "lane" | "walk" })[] = [];
	const ownership: Ownership = {
		watched: async () => [...walks.keys()],
		wanted: async () => wanted.map((_, index) => index),
		async watch(tx, { cursor }) {
			tx.afterCommit(() => {
				for (const contract of wanted.splice(0)) {
					const id = walks.size;
					const walk = { id, contract, nextBlock: null, endBlock: cursor, resting: false };
					walks.set(contract, walk);
				}
			});
		},
		async moved(tx, batch) {
			const own = batch.moves.filter(({ contract, blockNumber }) => {
				return blockNumber > (walks.get(contract)?.endBlock ?? Number.POSITIVE_INFINITY);
			});
			tx.afterCommit(
				() => void moves.push(...own.map((move) => ({ ...move, by: "lane" as const }))),
			);
			const isUnseen = ({ contract, endBlock }: Walk) => {
				return !batch.watched.includes(contract) && endBlock < batch.toBlock;
			};
			return ![...walks.values()].some(isUnseen);
		},
		async nextWalk() {
			const open = ({ nextBlock, endBlock, resting }: Walk & { resting: boolean }) => {
				return !resting && (nextBlock ?? 0) <= endBlock;
			};
			return [...walks.values()].find(open) ?? null;
		},
		async walked(tx, { walk, fromBlock, toBlock, moves: own }) {
			const known = walks.get(walk.contract);
			if (!known || (known.nextBlock ?? fromBlock) !== fromBlock) return false;
			tx.afterCommit(() => {
				moves.push(...own.map((move) => ({ ...move, by: "walk" as const })));
				walks.set(walk.contract, { ...known, nextBlock: toBlock + 1 });
			});
			return true;
		},
		async rest({ contract }) {
			const known = walks.get(contract);
			if (known) walks.set(contract, { ...known, resting: true });
		},
	};
	return {
		ownership,
		moves,
		walks,
		want: (contract: Address) => void wanted.push(contract),
		isDone: (contract: Address) => {
			const walk = walks.get(contract);
			return walk !== undefined && (walk.nextBlock ?? 0) > walk.endBlock;
		},
	};
}
