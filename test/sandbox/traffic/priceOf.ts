import type { Scene, Stall } from "./Scene.ts";

/**
 * Returns one unit's price near the current one, in wei, with four decimals as people type them.
 */
export function priceOf(scene: Scene, { state }: Stall): bigint {
	const ether = Math.exp(state.logPrice + scene.prng.gauss() * 0.045);
	const steps = Math.max(10, Math.round(ether * 10_000));
	return BigInt(steps) * 10n ** 14n;
}
