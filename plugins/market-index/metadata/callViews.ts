import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { callEach } from "#plugins/market-index/metadata/callEach.ts";

/**
 * Calls several views of each contract; each answers or is null by itself, as with `callContract`.
 * Answers are by contract, then by view.
 */
export async function callViews(
	rpc: Rpc,
	contracts: readonly Address[],
	views: readonly Hex[],
	signal: AbortSignal,
): Promise<(Hex | null)[][]> {
	const asked = contracts.flatMap((contract) => views.map((data) => ({ contract, data })));
	const answers = await callEach(rpc, asked, { signal });
	return contracts.map((_, index) => {
		return answers.slice(index * views.length, (index + 1) * views.length);
	});
}
