import type { ProviderRow } from "#plugins/market-index/confirm/ProviderRow.ts";

/** The fields that decide whether two sources tell of one event. */
export type Matched = Pick<
	ProviderRow,
	"kind" | "transactionHash" | "tokenId" | "from" | "to" | "occurredAtMs"
>;
