import type { Chain } from "#core/chain/Chain.ts";
import type { SlowAfter } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { SLOW_AFTER_BLOCKS } from "#plugins/wallets/watch/limits.ts";

/** For how long a transaction waits on each chain before it is slow: 20 blocks at least. */
export function slowAfterOf(
	indexed: readonly { chain: Pick<Chain, "id" | "blockMs"> }[],
	defaultMs: number,
): SlowAfter {
	const byChain = new Map<number, number>();
	for (const { chain } of indexed) {
		const needsMs = SLOW_AFTER_BLOCKS * (chain.blockMs ?? 0);
		if (needsMs > defaultMs) byChain.set(chain.id, needsMs);
	}
	return { defaultMs, byChain };
}
