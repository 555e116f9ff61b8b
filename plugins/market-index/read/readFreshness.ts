import type { Chain } from "#core/chain/Chain.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import { mostLagging } from "#plugins/market-index/read/mostLagging.ts";
import { renderFreshness } from "#plugins/market-index/render/renderFreshness.ts";
import type { Freshness } from "#plugins/market-index/schemas/freshnessSchema.ts";

/** Returns how fresh an answer about these chains is: as fresh as the one that lags most. */
export async function readFreshness(
	scanner: Pick<Scanner, "progress">,
	chains: readonly Chain[],
	options: { nowMs: number; listRefreshedAt: string | null },
): Promise<Freshness> {
	const lanes = await Promise.all(chains.map(({ id }) => scanner.progress(id, "sale")));
	const worst = mostLagging(lanes, options.nowMs);
	return renderFreshness(chainOfRow(chains, worst), worst, options);
}
