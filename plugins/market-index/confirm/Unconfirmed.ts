import type { Matched } from "#plugins/market-index/confirm/Matched.ts";

/** The unique key of the row in `event` for what only the provider told. */
export type EventPlace = {
	blockNumber: number;
	logIndex: number;
	subIndex: number;
	occurredAtMs: number;
};

/** An event that only the provider told so far. */
export type Unconfirmed = Matched &
	EventPlace & {
		collectionId: number;
		payload: Readonly<Record<string, unknown>> | null;
	};
