import type { EventRow } from "#plugins/market-index/event/EventRow.ts";

/** An event of the provider as the index would store it, but for the block that it stands in. */
export type ProviderRow = Pick<
	EventRow,
	| "kind"
	| "transactionHash"
	| "occurredAtMs"
	| "contract"
	| "tokenId"
	| "quantity"
	| "from"
	| "to"
	| "venue"
	| "currency"
	| "totalRaw"
	| "accepted"
	| "reason"
> & { payload: Readonly<Record<string, unknown>> };
