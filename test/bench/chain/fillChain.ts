import { decodeAbiParameters } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import {
	aggregateCall,
	readAggregate,
} from "#plugins/market-index/metadata/multicall/aggregateCall.ts";
import { createEmitters } from "#test/bench/chain/createEmitters.ts";
import { type Node, type NodeOptions, startNode } from "#test/bench/chain/startNode.ts";
import { deploymentBlocks, type Workload } from "#test/bench/chain/workload.ts";

/**
 * Makes a fresh chain with the whole workload on it: deployments, then the workload's blocks.
 *
 * Made anew for each run of the bench and shared by its figures: filling takes 4 s, while anvil's
 * own dump of the same chain is 180 MB and cannot be loaded again.
 */
export async function fillChain(workload: Workload, options: NodeOptions = {}): Promise<Node> {
	const node = await startNode(options);
	const emitters = await createEmitters(node, workload);
	await node.call("anvil_setBlockTimestampInterval", [workload.blockSeconds]);
	for (let block = 0; block < workload.blocks; block++) {
		await node.batch(emitters.blockCalls(block));
		await node.call("evm_mine");
	}
	await assertWhole(node, workload);
	await assertNamed(node, emitters.collections);
	return node;
}

const NAME = "0x06fdde03";
const NAMES_MAX = 100;

/**
 * Throws unless names come by Multicall3: without it they would cost a call each, which is not so
 * on present chains.
 */
async function assertNamed(node: Node, collections: readonly Address[]): Promise<void> {
	const views = collections
		.slice(0, NAMES_MAX)
		.map((contract) => ({ contract, data: NAME }) as const);
	const { method, params } = aggregateCall(views);
	const answers = readAggregate(await node.call(method, params), views.length) ?? [];
	const named = answers.filter((answer, index) => {
		const [name] = answer ? decodeAbiParameters([{ type: "string" }], answer) : [];
		return name === `Bench ${index + 1}`;
	});
	if (named.length !== views.length)
		throw new Error("Multicall3 does not answer on the bench's chain");
}

/**
 * Throws unless all logs exist: a transaction that ran out of gas would omit some, and every figure
 * would look better than it is.
 */
async function assertWhole(node: Node, workload: Workload): Promise<void> {
	const { collectionsPerBlock, mintsPerCollection, salesPerCollection } = workload;
	const perBlock =
		collectionsPerBlock * (mintsPerCollection + salesPerCollection) +
		(workload.singlesPerBlock + 1 + workload.noisePerBlock);
	const before = deploymentBlocks(workload);
	for (const turn of [1, Math.ceil(workload.blocks / 2), workload.blocks]) {
		const block = before + turn;
		const at = `0x${block.toString(16)}`;
		const logs = await node.call<unknown[]>("eth_getLogs", [{ fromBlock: at, toBlock: at }]);
		if (logs.length !== perBlock) {
			throw new Error(`block ${block} of the bench's chain has ${logs.length} logs of ${perBlock}`);
		}
	}
}
