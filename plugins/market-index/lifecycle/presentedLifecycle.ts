import type { Lifecycle } from "#plugins/market-index/lifecycle/Lifecycle.ts";
import { SOLD_OUT_SHOWN_MS } from "#plugins/market-index/lifecycle/limits.ts";

/**
 * Returns the lifecycle that clients see: a sold-out collection is `minted_out` for 15 minutes
 * after its last mint and `secondary` from then on. The stored one stays, so `ended` still finds
 * it.
 */
export function presentedLifecycle(
	stored: Lifecycle | null,
	lastMintAtMs: number | null,
	nowMs: number,
): Lifecycle | null {
	if (stored !== "minted_out") return stored;
	const shown = lastMintAtMs !== null && nowMs - lastMintAtMs <= SOLD_OUT_SHOWN_MS;
	return shown ? "minted_out" : "secondary";
}
