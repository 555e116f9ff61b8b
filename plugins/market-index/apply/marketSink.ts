import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { createApplier } from "#plugins/market-index/apply/createApplier.ts";
import { createReverter } from "#plugins/market-index/apply/createReverter.ts";
import { type EarlyOptions, storeEarly } from "#plugins/market-index/apply/storeEarly.ts";
import type { OwnerKeeper } from "#plugins/market-index/owners/createOwnership.ts";

/** Makes the index as lanes see it: it stores what they read on chain, and takes it back. */
export function marketSink(options: EarlyOptions, owners: OwnerKeeper | null = null): EventSink {
	const revert = createReverter(options);
	return {
		name: "market-index",
		apply: createApplier(options),
		storeEarly: storeEarly(options),
		async revert(tx, reorg) {
			await revert(tx, reorg);
			await owners?.revert(tx, reorg);
		},
		...(owners && { ownership: owners }),
	};
}
