import type { ProviderRow } from "#plugins/market-index/confirm/ProviderRow.ts";

/** What decides whether two sources speak of one event. */
export type Matched = Pick<
	ProviderRow,
	"kind" | "transactionHash" | "tokenId" | "from" | "to" | "occurredAtMs"
>;
