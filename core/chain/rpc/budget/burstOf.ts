import { STEADY_SHARE } from "#core/chain/rpc/budget/limits.ts";

/**
 * Returns how many calls may be sent at once, how much of the endpoint's time each takes, and how
 * much unused time counts. With `burst` calls at once, and then one every `callMs`, no second
 * contains more than `perSecond`, wherever it begins.
 */
export function burstOf(perSecond: number) {
	const burst = Math.max(1, Math.floor(perSecond * (1 - STEADY_SHARE)));
	const callMs = 1_000 / (perSecond * STEADY_SHARE);
	return { burst, callMs, creditMs: (burst - 1) * callMs };
}
