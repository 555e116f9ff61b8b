import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import type { TokenMove, Walk } from "#plugins/chain-scanner/contract.ts";
import { createOwnership } from "#plugins/market-index/owners/createOwnership.ts";
import type { OwnerState } from "#plugins/market-index/owners/testing/ownerModel.ts";

/** A move as a test writes it down; its place comes from the block it is mined in. */
export type PlannedMove = Pick<
	TokenMove,
	"contract" | "standard" | "from" | "to" | "tokenId" | "lastTokenId" | "quantity"
>;

/** Blocks that may leave the lab's chains. */
export const LAB_DEPTH = 6;

let nextChainId = 70_000;

/**
 * A chain of moves, a lane and walks over it, and the real tables. The lane and the walks do as the
 * scanner's do, one call at a time, so that a test decides who comes when.
 */
export function createOwnerLab(db: Database, { watchedMax = 500 } = {}) {
	const chainId = nextChainId++;
	const keeper = createOwnership(db, { watchedMax });
	const blocks: TokenMove[][] = [[]];
	let cursor = 0;
	const head = () => blocks.length - 1;
	const unsettledFrom = () => head() - LAB_DEPTH + 1;
	const between = (from: number, to: number) => blocks.slice(from, to + 1).flat();

	return {
		chainId,
		keeper,
		head,
		cursor: () => cursor,
		moves: (contract: Address) => between(0, cursor).filter((move) => move.contract === contract),
		async register(contract: Address, standard = "erc721", lastMintAt = new Date(0)) {
			const rows = await db.query<{ id: number }>(
				`insert into market_index.collection (chain_id, address, slug, standard, last_mint_at)
				values ($1, $2, $3, $4, $5) returning id`,
				[chainId, Buffer.from(contract.slice(2), "hex"), contract, standard, lastMintAt],
			);
			return rows[0]?.id ?? 0;
		},
		mine(planned: readonly PlannedMove[]) {
			const blockNumber = blocks.length;
			const blockHash = `0x${blockNumber.toString(16).padStart(64, "0")}` as const;
			const place = { blockNumber, blockHash, subIndex: 0 };
			blocks.push(planned.map((move, logIndex) => ({ ...move, ...place, logIndex })));
		},
		/** The lane reads up to a block; `asked` is whom it looked at. */
		async lane(to = head(), asked?: readonly Address[]) {
			const watched = asked ?? (await keeper.watched(chainId));
			const fromBlock = cursor + 1;
			if (to < fromBlock) return true;
			const taken = await db.transaction((tx) =>
				keeper.moved(tx, {
					...{ chainId, fromBlock, toBlock: to, watched, inOrder: true },
					moves: between(fromBlock, to).filter(({ contract }) => watched.includes(contract)),
					unsettledFrom: unsettledFrom(),
					pruneBelow: to - LAB_DEPTH,
				}),
			);
			if (taken) cursor = to;
			return taken;
		},
		async watch() {
			const wanted = await keeper.wanted(chainId);
			await db.transaction((tx) => keeper.watch(tx, { chainId, wanted, cursor }));
			return wanted;
		},
		/** One part of the walk that is next; false when there is none. */
		async walk(blocksMax = 1_000, { fails = false } = {}): Promise<boolean> {
			const walk = await keeper.nextWalk(chainId);
			if (!walk) return false;
			await this.step(walk, blocksMax, { fails });
			return true;
		},
		async step(walk: Walk, blocksMax: number, { fails = false } = {}): Promise<boolean> {
			const fromBlock = walk.nextBlock ?? 0;
			const toBlock = Math.min(fromBlock + blocksMax - 1, walk.endBlock);
			const moves = between(fromBlock, toBlock);
			const step = { chainId, walk, fromBlock, toBlock, moves, unsettledFrom: unsettledFrom() };
			const killed = new Error("killed");
			return db
				.transaction(async (tx) => {
					const isOurs = await keeper.walked(tx, step);
					if (fails) throw killed;
					return isOurs;
				})
				.catch((error) => {
					if (error === killed) return false;
					throw error;
				});
		},
		/** The newest blocks leave the chain. */
		async reorg(depth: number) {
			const forkBlock = Math.max(0, head() - depth);
			blocks.length = forkBlock + 1;
			await db.transaction((tx) => keeper.revert(tx, { chainId, forkBlock }));
			cursor = Math.min(cursor, forkBlock);
		},
		/** What the tables say of a collection. */
		async state(collectionId: number): Promise<OwnerState & { done: boolean }> {
			const of = <Row>(columns: string, table: string) =>
				db.query<Row>(`select ${columns} from market_index.${table} where collection_id = $1`, [
					collectionId,
				]);
			const hex = `'0x' || encode(owner, 'hex') as owner`;
			const spans = await of<{ from: string; to: string; owner: Address }>(
				`from_id as "from", to_id as "to", ${hex}`,
				"owned_span",
			);
			const units = await of<{ id: string; owner: Address; units: string }>(
				`token_id as id, ${hex}, units`,
				"owned_units",
			);
			const holders = await of<{ owner: Address; units: string }>(`${hex}, units`, "holder");
			const [row] = await of<{ owners: number; minted: string; burned: string; done: boolean }>(
				"owners, minted, burned, coalesce(next_block > end_block, false) as done",
				"ownership",
			);
			return {
				owners: Object.fromEntries(spans.flatMap(ownersIn)),
				units: Object.fromEntries(units.map((at) => [`${at.id} ${at.owner}`, BigInt(at.units)])),
				holders: Object.fromEntries(holders.map((held) => [held.owner, BigInt(held.units)])),
				ownersCount: row?.owners ?? 0,
				minted: BigInt(row?.minted ?? 0),
				burned: BigInt(row?.burned ?? 0),
				done: row?.done ?? false,
			};
		},
	};
}

function ownersIn({ from, to, owner }: { from: string; to: string; owner: Address }) {
	const ids: [string, Address][] = [];
	if (owner === ZERO_ADDRESS) return ids;
	for (let id = BigInt(from); id <= BigInt(to); id++) ids.push([`${id}`, owner]);
	return ids;
}
