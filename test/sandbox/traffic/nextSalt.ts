import type { Scene } from "./Scene.ts";

/**
 * Returns a salt that no order of this world has: equal orders of one offerer would share a hash.
 */
export function nextSalt(scene: Scene): bigint {
	scene.world.salt += 1;
	return BigInt(scene.world.seed >>> 0) * 2n ** 64n + BigInt(scene.world.salt);
}
