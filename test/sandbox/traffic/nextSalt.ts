import type { Scene } from "./Scene.ts";

/** A salt no order of this world had: equal orders of one offerer would otherwise share a hash. */
export function nextSalt(scene: Scene): bigint {
	scene.world.salt += 1;
	return BigInt(scene.world.seed >>> 0) * 2n ** 64n + BigInt(scene.world.salt);
}
