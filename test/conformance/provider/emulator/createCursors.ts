import { Refusal } from "#test/conformance/provider/emulator/Refusal.ts";

export type Cursors = {
	/** Names a place in the answers to one question; nothing can be read from it. */
	make(question: string, place: string): string;
	/** The place, or a Refusal where the cursor is of another question, expired or invented. */
	read(question: string, cursor: string): string;
	/** Everything that was handed out is over. */
	expireAll(): void;
};

export type CursorsOptions = { nowMs: () => number; lifeMs: number };

/** Hands out opaque cursors that expire. */
export function createCursors({ nowMs, lifeMs }: CursorsOptions): Cursors {
	const places = new Map<string, { question: string; place: string; untilMs: number }>();
	return {
		make(question, place) {
			const cursor = Buffer.from(crypto.randomUUID()).toString("base64url");
			places.set(cursor, { question, place, untilMs: nowMs() + lifeMs });
			return cursor;
		},
		read(question, cursor) {
			const known = places.get(cursor);
			if (!known || known.question !== question) throw new Refusal(400, "Invalid cursor");
			if (known.untilMs <= nowMs()) throw new Refusal(400, "Cursor has expired");
			return known.place;
		},
		expireAll: () => places.clear(),
	};
}
