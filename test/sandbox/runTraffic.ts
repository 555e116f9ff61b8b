import type { BlockTime } from "./blockTimes.ts";
import { createPrng } from "./createPrng.ts";
import { mineBlock } from "./mineBlock.ts";
import type { Rpc } from "./Rpc.ts";
import { planBlock } from "./traffic/planBlock.ts";
import type { PlannedTx, Scene } from "./traffic/Scene.ts";
import type { Actor, World } from "./World.ts";

/** Plans and mines these blocks one after another; returns the planned transactions by hash. */
export async function runTraffic(
	rpc: Rpc,
	people: { world: World; actors: readonly Actor[] },
	times: readonly BlockTime[],
): Promise<Map<string, PlannedTx>> {
	const { world, actors } = people;
	const prng = createPrng(world.prngState);
	const meaning = new Map<string, PlannedTx>();
	let mining: Promise<void> = Promise.resolve();
	for (const { timeS, share } of times) {
		const scene: Scene = { world, prng, actors, nowS: timeS, touched: new Set(), txs: [] };
		await planBlock(scene, share);
		// The next block is planned and signed while anvil works on this one.
		await mining;
		mining = mineBlock(rpc, { world, actors, txs: scene.txs, timeS }).then((hashes) => {
			for (const [n, hash] of hashes.entries()) {
				const tx = scene.txs[n];
				if (tx) meaning.set(hash, tx);
			}
		});
	}
	await mining;
	world.prngState = prng.state();
	return meaning;
}
