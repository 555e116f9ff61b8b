import type { TokenMove } from "#plugins/chain-scanner/contract.ts";

/** A move as a test writes it down; its place comes from the block it is mined in. */
export type PlannedMove = Pick<
	TokenMove,
	"contract" | "standard" | "from" | "to" | "tokenId" | "lastTokenId" | "quantity"
>;

/** A chain that holds nothing but moves. */
export function createMoveChain() {
	const blocks: TokenMove[][] = [[]];
	return {
		head: () => blocks.length - 1,
		between: (from: number, to: number) => blocks.slice(from, to + 1).flat(),
		mine(planned: readonly PlannedMove[]) {
			const blockNumber = blocks.length;
			const blockHash = `0x${blockNumber.toString(16).padStart(64, "0")}` as const;
			const place = { blockNumber, blockHash, subIndex: 0 };
			blocks.push(planned.map((move, logIndex) => ({ ...move, ...place, logIndex })));
		},
		/** The newest blocks leave the chain; answers the one that is left on top. */
		drop(depth: number): number {
			blocks.length = Math.max(1, blocks.length - depth);
			return blocks.length - 1;
		},
	};
}
