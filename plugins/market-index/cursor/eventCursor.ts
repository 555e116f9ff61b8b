import { invalidQuery } from "#plugins/market-index/faults.ts";

/** Where a page of events ended: the place of its last event, newest first. */
export type EventCursor = {
	occurredAtMs: number;
	blockNumber: number;
	logIndex: number;
	subIndex: number;
};

const DATE_MS_MAX = 8_640_000_000_000_000;
const INT4_MAX = 2_147_483_647;
/** Versioned: a later form is refused by this one, and not misread. */
const FORM = /^1\.(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})$/;

/**
 * Opaque cursors of event lists. Anything that `encode` did not make is refused: a misread cursor
 * would answer a page that silently leaves events out.
 */
export const eventCursor = {
	encode({ occurredAtMs, blockNumber, logIndex, subIndex }: EventCursor): string {
		const text = `1.${occurredAtMs}.${blockNumber}.${logIndex}.${subIndex}`;
		return Buffer.from(text).toString("base64url");
	},
	decode(cursor: string): EventCursor {
		const text = Buffer.from(cursor, "base64url").toString("latin1");
		// Node skips what is not base64url, so only the way back proves that it was.
		const same = Buffer.from(text, "latin1").toString("base64url") === cursor;
		const match = same ? FORM.exec(text) : null;
		const [occurredAtMs, blockNumber, logIndex, subIndex] = (match ?? []).slice(1).map(Number);
		if (
			occurredAtMs === undefined ||
			blockNumber === undefined ||
			logIndex === undefined ||
			subIndex === undefined ||
			occurredAtMs > DATE_MS_MAX ||
			blockNumber > Number.MAX_SAFE_INTEGER ||
			logIndex > INT4_MAX ||
			subIndex > INT4_MAX
		) {
			throw invalidQuery("cursor", "This is not a cursor of this list.");
		}
		return { occurredAtMs, blockNumber, logIndex, subIndex };
	},
};
