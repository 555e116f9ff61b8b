import type { Matched } from "#plugins/market-index/confirm/Matched.ts";

/** The row in `event` that stands for what only the provider told: its whole unique key. */
export type EventPlace = {
	blockNumber: number;
	logIndex: number;
	subIndex: number;
	occurredAtMs: number;
};

/** What only the provider told so far. */
export type Unconfirmed = Matched &
	EventPlace & {
		collectionId: number;
		payload: Readonly<Record<string, unknown>> | null;
	};
