/** The bytes of an answer with its size, tag and digest. */
export type Content = {
	/** One blob that all answers share: text and byte arrays would be copied for each. */
	readonly blob: Blob;
	readonly size: number;
	/** Weak: equal for answers that differ only in their time, and for every coding. */
	readonly etag: string;
	/** Equal only for equal bytes. */
	readonly digest: bigint;
};

/** Members with the time of the answer, which say nothing about the market. */
const MOMENTS = ["servedAt", "observedAt"].map((name) => Buffer.from(`"${name}":"`));
const QUOTE = 0x22;
/** The bytes before a member's name in JSON without blanks; inside a text the quote is escaped. */
const BEFORE_NAME = new Set([0x7b, 0x2c]);
/** The longest text of a time; a longer one is part of the answer. */
const MOMENT_BYTES_MAX = 40;

type Span = { from: number; to: number };

/**
 * Makes the content of an answer: one copy of the bytes for all who receive them, and one search
 * for its tag.
 */
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
 * Returns a hash of bytes. It is not safe against attackers, who gain nothing: two answers with one
 * tag only make a cache show the author's own older text.
 */
function hashOf(bytes: Buffer, seed: bigint): bigint {
	return BigInt(Bun.hash(bytes, seed));
}

/** Returns where the values of times are, in order. */
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
