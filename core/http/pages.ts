import { z } from "zod";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";

/**
 * Holds what a cursor is bound to besides its list: whose rows, and every filter. Not the page
 * size, which may change from page to page.
 */
export type CursorScope = Readonly<Record<string, string | number | null | undefined>>;

export type Cursor = {
	encode(parts: readonly string[]): string;
	/** Throws `validation_error` for an invalid cursor, `cursor_mismatch` for another list's. */
	decode(cursor: string): string[];
};

/** The patterns of a cursor's parts. None of these contains a dot. */
export const CURSOR_PART = {
	count: "0|[1-9]\\d{0,77}",
	integer: "0|-?[1-9]\\d{0,77}",
	/** Milliseconds within the range of a Date. */
	millis: "0|[1-9]\\d{0,14}",
	address: "0x[0-9a-f]{40}",
	hash: "0x[0-9a-f]{64}",
	uuid: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
	/** Any text, in hex: two digits a byte. */
	text: "(?:[0-9a-f]{2}){0,256}",
	/** A long text of strangers, in hex. */
	longText: "(?:[0-9a-f]{2}){0,1024}",
	/** A count, where unknown sorts as `none`; else decimal digits. */
	countOrNone: "none|0|[1-9]\\d{0,77}",
} as const;

/** The list's mark with its version, the digest of the scope, and the position. */
const FORM = /^([a-z]+\d+)\.([0-9a-f]{12})\.(.*)$/s;
const NOT_A_CURSOR = "is not a cursor of this list";
const ANOTHER =
	"belongs to another list, or to other filters: send it with what its page was asked with, or " +
	"leave it out to begin anew";

/** The longest cursor, except those that hold strangers' texts. */
const CURSOR_LENGTH_MAX = 256;

/**
 * Returns the schema of a page size from 1 to `max`. Any other value is refused, never silently
 * cut.
 */
export function limitParam(fallback: number, max: number) {
	const message = `must be a whole number from 1 to ${max}`;
	return z
		.string()
		.regex(/^[1-9][0-9]{0,3}$/, message)
		.transform(Number)
		.pipe(z.int().max(max, message))
		.meta({
			type: "integer",
			minimum: 1,
			maximum: max,
			description: `How many at most; ${fallback} unless given.`,
			examples: [fallback],
		})
		.default(fallback);
}

/** Returns the query parameters of a list that is read page by page. */
export function pageQuery(limit: { default: number; max: number }) {
	return { limit: limitParam(limit.default, limit.max), cursor: cursorParam() };
}

/** Describes whether a list continues, and what to send as `cursor` for the next page. */
export const pageSchema = z
	.object({
		nextCursor: field
			.text("Send it back as `cursor` for the next page; null on the last one.", "czE6MTIzNDU")
			.nullable(),
		hasMore: field.flag("Whether there is a next page."),
	})
	.meta({ id: "Page", description: "Where a list goes on." });

/**
 * Limits of every stream, for `new Elysia({ websocket })`: Elysia 1.4.30 ignores limits of a single
 * `.ws()` route (a 20 kB frame passed a limit of 16 kB).
 */
export const websocketLimits = {
	/** Clients send only subscriptions and pongs. A larger frame closes with 1009. */
	maxPayloadLength: 64 * 1024,
	/** Unsent bytes of a slow reader before it is closed. Bun's default is 16 MiB each. */
	backpressureLimit: 1024 * 1024,
	/** Closes a slow socket: without this Bun drops frames silently and leaves it open with a gap. */
	closeOnBackpressureLimit: true,
	/** Our pings come every 15 s, so a minute of silence means a dead peer. */
	idleTimeout: 60,
	/** Compressing small frames costs memory per socket and allows decompression bombs. */
	perMessageDeflate: false,
} as const;

/**
 * Makes opaque cursors of one list: the key of a page's last row, after the list's own mark and a
 * digest of the request's filters. So the cursor of another route, collection or filter is refused
 * instead of misread, which would silently leave rows out.
 *
 * The digest protects against mistakes, not against attackers: a made-up cursor only reads public
 * rows.
 *
 * @example createCursor("sales2", [CURSOR_PART.count]).of({ chain, contract, range })
 */
export function createCursor(
	mark: string,
	parts: readonly (typeof CURSOR_PART)[keyof typeof CURSOR_PART][],
): { of(scope: CursorScope): Cursor } {
	const form = new RegExp(`^${parts.map((part) => `(${part})`).join("\\.")}$`);
	return {
		of(scope) {
			const bound = digestOf(mark, scope);
			return {
				encode: (values) => Buffer.from([mark, bound, ...values].join(".")).toString("base64url"),
				decode(cursor) {
					const [, madeBy, boundTo, place = ""] = FORM.exec(textOf(cursor)) ?? [];
					if (madeBy === undefined) throw invalid();
					if (madeBy !== mark || boundTo !== bound) throw mismatch();
					const match = form.exec(place);
					if (!match) throw invalid();
					return match.slice(1);
				},
			};
		},
	};
}

/**
 * Returns the schema of a cursor parameter; the list that made it checks its content. An empty one
 * counts as none, because some clients always send `cursor={nextCursor}`.
 */
export function cursorParam(lengthMax = CURSOR_LENGTH_MAX) {
	return z
		.string()
		.max(lengthMax)
		.optional()
		.transform((cursor) => cursor || undefined)
		.meta({
			description:
				"`page.nextCursor` of the page before, with the same filters; the first page without.",
		});
}

function digestOf(mark: string, scope: CursorScope): string {
	const filters = Object.entries(scope)
		.filter(([, value]) => value !== undefined && value !== null)
		.sort(([one], [other]) => (one < other ? -1 : 1));
	const hasher = new Bun.CryptoHasher("sha256");
	return hasher
		.update(JSON.stringify([mark, filters]))
		.digest("hex")
		.slice(0, 12);
}

/**
 * Decodes a cursor; empty where it is not base64url: Node skips invalid characters, so only
 * encoding it again proves it.
 */
function textOf(cursor: string): string {
	const text = Buffer.from(cursor, "base64url").toString("latin1");
	return Buffer.from(text, "latin1").toString("base64url") === cursor ? text : "";
}

function invalid() {
	return httpFault.validationError({
		public: `The query is not valid (cursor): ${NOT_A_CURSOR}`,
		members: { issues: [{ path: "cursor", message: NOT_A_CURSOR }] },
	});
}

function mismatch() {
	return httpFault.cursorMismatch({
		public: `The cursor ${ANOTHER}.`,
		members: { issues: [{ path: "cursor", message: ANOTHER }] },
	});
}
