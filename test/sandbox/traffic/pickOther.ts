import type { Scene } from "./Scene.ts";

/** Anyone but these: Seaport allows trading with oneself, but a market of it is no market. */
export function pickOther(scene: Scene, ...not: number[]): number {
	let other = scene.prng.int(scene.actors.length);
	while (not.includes(other)) other = (other + 1) % scene.actors.length;
	return other;
}
