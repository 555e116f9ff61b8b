import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";
import { standAlone } from "#plugins/market-index/apply/standAlone.ts";
import { type TakingBack, takeBack } from "#plugins/market-index/apply/takeBack.ts";
import { deleteEventsAbove } from "#plugins/market-index/sql/deleteEventsAbove.ts";

export type ReverterOptions = TakingBack & {
	chains: ChainRegistry;
	/** False where no provider is configured: what a former one told does not outlive its block. */
	hasProvider?: boolean;
};

/** Takes back what left the chain with all that followed from it, in the caller's transaction. */
export type Reverter = (tx: Tx, reorg: Reorg) => Promise<void>;

/**
 * Makes the applier's counterpart: after it the figures are those of the remaining events, as if
 * the others had never been there, and streams report what was taken back. An event that the
 * provider told too loses only its block, and waits for the chain to tell it again.
 */
export function createReverter(options: ReverterOptions): Reverter {
	return async (tx, reorg) => {
		const chain = options.chains.byId(reorg.chainId);
		assert(chain, `a fork of chain ${reorg.chainId}, which has no definition`);
		const gone = await deleteEventsAbove(tx, reorg);
		if (gone.length === 0) return;
		const at = new Date(options.clock.nowMs());
		const isKept = options.hasProvider !== false;
		const standsAlone = async () => (isKept ? standAlone(tx, chain.id, { gone, at }) : []);
		await takeBack(options, tx, chain, { gone, standsAlone });
	};
}
