import {
	CURSOR_PART,
	type Cursor,
	type CursorScope,
	createCursor,
} from "#core/http/createCursor.ts";

/** The end of a page of events: the place of its last event, newest first. */
export type EventPlace = {
	occurredAtMs: number;
	blockNumber: number;
	logIndex: number;
	subIndex: number;
};

/** Cursors of one list of events, for one collection and its filters. */
export type EventCursor = {
	encode(place: EventPlace): string;
	decode(cursor: string): EventPlace;
};

const DATE_MS_MAX = 8_640_000_000_000_000;
const INT4_MAX = 2_147_483_647;
const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
const { count, integer } = CURSOR_PART;

/**
 * Makes the cursors of a list of events. A larger value than the database can hold is cut to that:
 * no event is beyond it, so none is left out.
 */
export function createEventCursor(mark: string): { of(scope: CursorScope): EventCursor } {
	const cursors = createCursor(mark, [count, integer, count, count]);
	return { of: (scope) => eventCursorOver(cursors.of(scope)) };
}

function eventCursorOver(bound: Cursor): EventCursor {
	return {
		encode({ occurredAtMs, blockNumber, logIndex, subIndex }) {
			return bound.encode([occurredAtMs, blockNumber, logIndex, subIndex].map(String));
		},
		decode(cursor) {
			const [occurredAtMs = 0, blockNumber = 0, logIndex = 0, subIndex = 0] = bound
				.decode(cursor)
				.map(Number);
			return {
				occurredAtMs: Math.min(occurredAtMs, DATE_MS_MAX),
				blockNumber: Math.max(MIN_SAFE_INTEGER, Math.min(blockNumber, MAX_SAFE_INTEGER)),
				logIndex: Math.min(logIndex, INT4_MAX),
				subIndex: Math.min(subIndex, INT4_MAX),
			};
		},
	};
}
