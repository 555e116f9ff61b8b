import type { PlannedTx, Scene } from "./Scene.ts";

/** Adds a transaction to the block and counts it under its label, and its sales under `sales`. */
export function addTx(scene: Scene, tx: PlannedTx, sales = 0): void {
	scene.txs.push(tx);
	count(scene, tx.label, 1);
	if (sales > 0) count(scene, "sales", sales);
}

function count({ world }: Scene, label: string, by: number): void {
	world.counts[label] = (world.counts[label] ?? 0) + by;
}
