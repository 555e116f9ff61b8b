import type { ProviderRow } from "#plugins/market-index/merge/ProviderRow.ts";

/** What decides whether two sources speak of one event. */
export type Matched = Pick<
	ProviderRow,
	"kind" | "transactionHash" | "tokenId" | "from" | "to" | "occurredAtMs"
>;
