/** The bytes of an answer with what is known of them. */
export type Content = {
	/** One piece that all answers share: text and byte arrays are copied for each. */
	readonly blob: Blob;
	readonly size: number;
	/** Weak: equal for answers that differ only in when they were given, and for every coding. */
	readonly etag: string;
	/** Equal only for equal bytes. */
	readonly digest: bigint;
};

/** Members that say when an answer was given, and nothing about the market. */
const MOMENTS = ["servedAt", "observedAt"].map((name) => Buffer.from(`"${name}":"`));
const QUOTE = 0x22;
/**
 * What stands before a member's name in JSON without blanks; inside a text the quote is escaped.
 */
const BEFORE_NAME = new Set([0x7b, 0x2c]);
/** The longest text of a time; a longer one is no time and belongs to the answer. */
const MOMENT_BYTES_MAX = 40;

type Span = { from: number; to: number };

/** Reads an answer's bytes: one copy for all who receive them, and one search for its tag. */
export function contentOf(body: string | Uint8Array<ArrayBuffer>): Content {
	const bytes =
		typeof body === "string"
			? Buffer.from(body)
			: Buffer.from(body.buffer, body.byteOffset, body.byteLength);
	const digest = hashOf(bytes, 0n);
	const moments = momentsIn(bytes);
	const mark = moments.length === 0 ? digest : hashWithout(bytes, moments);
	return {
		blob: new Blob([bytes]),
		size: bytes.byteLength,
		etag: `W/"${mark.toString(36)}"`,
		digest,
	};
}

function hashWithout(bytes: Buffer, spans: readonly Span[]): bigint {
	let hash = 0n;
	let from = 0;
	for (const span of spans) {
		hash = hashOf(bytes.subarray(from, span.from), hash);
		from = span.to;
	}
	return hashOf(bytes.subarray(from), hash);
}

/**
 * Returns a hash of bytes. It does not protect against people: an author of two answers with one
 * tag makes a cache show its own old text.
 */
function hashOf(bytes: Buffer, seed: bigint): bigint {
	return BigInt(Bun.hash(bytes, seed));
}

/** Where the moments' values stand, in their order. */
function momentsIn(bytes: Buffer): Span[] {
	return MOMENTS.flatMap((name) => valuesOf(name, bytes)).sort((a, b) => a.from - b.from);
}

function valuesOf(name: Buffer, bytes: Buffer): Span[] {
	const spans: Span[] = [];
	for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + name.length)) {
		const from = at + name.length;
		const to = bytes.indexOf(QUOTE, from);
		const isMember = BEFORE_NAME.has(bytes[at - 1] ?? 0);
		if (isMember && to !== -1 && to - from <= MOMENT_BYTES_MAX) spans.push({ from, to });
	}
	return spans;
}
