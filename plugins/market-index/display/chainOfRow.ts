import type { Chain } from "#core/chain/Chain.ts";
import { assert } from "#core/fault/assert.ts";

/** Returns the chain of a row that was read for these chains. */
export function chainOfRow(chains: readonly Chain[], row: { chainId: number }): Chain {
	const chain = chains.find(({ id }) => id === row.chainId);
	assert(chain, `a row of chain ${row.chainId}, which was not asked for`);
	return chain;
}
