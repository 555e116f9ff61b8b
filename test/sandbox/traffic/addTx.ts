import type { PlannedTx, Scene } from "./Scene.ts";

/** Puts a transaction into the block and counts it under its label (`sales` for what it sells). */
export function addTx(scene: Scene, tx: PlannedTx, sales = 0): void {
	scene.txs.push(tx);
	count(scene, tx.label, 1);
	if (sales > 0) count(scene, "sales", sales);
}

function count({ world }: Scene, label: string, by: number): void {
	world.counts[label] = (world.counts[label] ?? 0) + by;
}
