import { createEmitters, type Emitters } from "#test/bench/chain/createEmitters.ts";
import { type Node, startNode } from "#test/bench/chain/startNode.ts";
import type { Workload } from "#test/bench/chain/workload.ts";
import type { Scope } from "#test/bench/createScope.ts";

/** A chain that continues: it has a block of the workload for each collection, and takes more. */
export type YoungChain = {
	node: Node;
	emitters: Emitters;
	/** Mines so many more of the workload's blocks. */
	mine(blocks: number): Promise<void>;
	/** Returns the number of the workload's blocks mined so far. */
	mined(): number;
	stop(): Promise<void>;
};

export async function startYoungChain(scope: Scope, workload: Workload): Promise<YoungChain> {
	const node = await startNode();
	const stop = scope.defer(node.stop);
	const emitters = await createEmitters(node, workload);
	await node.call("anvil_setBlockTimestampInterval", [workload.blockSeconds]);
	let mined = 0;
	const mine = async (blocks: number) => {
		for (const end = mined + blocks; mined < end; mined++) {
			await node.batch(emitters.blockCalls(mined));
			await node.call("evm_mine");
		}
	};
	await mine(workload.collections);
	return { node, emitters, mine, mined: () => mined, stop };
}
