import { invalidQuery } from "#plugins/market-index/faults.ts";

export type Cursor = {
	encode(parts: readonly string[]): string;
	/** Throws `validation_error` on whatever this list did not make. */
	decode(cursor: string): string[];
};

/** What one part of a cursor may look like. None of these holds a dot. */
export const CURSOR_PART = {
	count: "0|[1-9]\\d{0,77}",
	address: "0x[0-9a-f]{40}",
	hash: "0x[0-9a-f]{64}",
	/** Any text, in hex: two digits a byte. */
	text: "(?:[0-9a-f]{2}){0,256}",
	/** The same of what strangers write at length. */
	longText: "(?:[0-9a-f]{2}){0,1024}",
	/** A value that may be unknown. */
	countOrNone: "none|0|[1-9]\\d{0,77}",
} as const;

/**
 * Opaque cursors of one list: the key of a page's last row, behind the list's own mark, so that one
 * list's cursor is refused by another and not misread.
 */
export function createCursor(
	mark: string,
	parts: readonly (typeof CURSOR_PART)[keyof typeof CURSOR_PART][],
): Cursor {
	const form = new RegExp(`^${[mark, ...parts.map((part) => `(${part})`)].join("\\.")}$`);
	return {
		encode: (values) => Buffer.from([mark, ...values].join(".")).toString("base64url"),
		decode(cursor) {
			const text = Buffer.from(cursor, "base64url").toString("latin1");
			// Node skips what is not base64url, so only the way back proves that it was.
			const same = Buffer.from(text, "latin1").toString("base64url") === cursor;
			const match = same ? form.exec(text) : null;
			if (!match) throw invalidQuery("cursor", "This is not a cursor of this list.");
			return match.slice(1);
		},
	};
}
