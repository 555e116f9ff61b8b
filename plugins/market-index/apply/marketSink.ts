import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { type ApplierOptions, createApplier } from "#plugins/market-index/apply/createApplier.ts";
import { createReverter } from "#plugins/market-index/apply/createReverter.ts";

/** The index as lanes see it: takes in what they read on chain, and takes it back. */
export function marketSink(options: ApplierOptions): EventSink {
	return { name: "market-index", apply: createApplier(options), revert: createReverter(options) };
}
