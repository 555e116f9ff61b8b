import type { Scene } from "./Scene.ts";

/**
 * Returns an actor other than these: Seaport allows trading with oneself, but that is no market.
 */
export function pickOther(scene: Scene, ...not: number[]): number {
	let other = scene.prng.int(scene.actors.length);
	while (not.includes(other)) other = (other + 1) % scene.actors.length;
	return other;
}
