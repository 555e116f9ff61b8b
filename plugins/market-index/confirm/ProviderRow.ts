import type { EventRow } from "#plugins/market-index/event/EventRow.ts";

/** A provider's event as the index would store it, without a block. */
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
