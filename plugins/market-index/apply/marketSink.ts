import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { type ApplierOptions, createApplier } from "#plugins/market-index/apply/createApplier.ts";
import { createReverter } from "#plugins/market-index/apply/createReverter.ts";

/** The index as lanes see it: takes in what they read on chain, and takes it back. */
export function marketSink(options: ApplierOptions): EventSink {
	const record = createApplier(options);
	const revert = createReverter(options);
	return {
		name: "market-index",
		apply: (tx, { chainId, live, events }) => {
			const seen = { onchainVerified: true, payload: null };
			return record(tx, { chainId, live, events: events.map((event) => ({ ...event, ...seen })) });
		},
		revert,
	};
}
