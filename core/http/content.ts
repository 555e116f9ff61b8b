// Compresses, tags and negotiates the bodies of answers.

import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { Clock } from "#core/clock.ts";
import { varyWith } from "#core/http/createOriginPolicy.ts";
import { httpFault } from "#core/http/faults.ts";

/** The encoding of an answer's bytes: plain, or compressed. */
export type ContentCoding = "identity" | CompressedCoding;

export type CompressedCoding = "gzip" | "br" | "zstd";

/**
 * The form of an answer that a client gets; `unchanged`: no body, because it has the same one
 * already.
 */
export type Variant = "unchanged" | ContentCoding;

/** The best coding for a client; undefined where it accepts none of ours. */
export type AcceptedCodings = {
	/** The coding for an answer that is large enough to compress. */
	large: ContentCoding | undefined;
	/** The coding for a smaller answer. */
	small: ContentCoding | undefined;
};

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

export type Encoder = {
	/** Returns the body of a variant if it exists; null for a variant without a body. */
	ready(content: Content, variant: Variant): Blob | null | undefined;
	/** Returns the body, and makes it if it does not exist. */
	encode(content: Content, variant: Variant): Promise<Blob | null>;
};

type Wish = { coding: string; weight: number };

type Span = { from: number; to: number };

type Encoded = { digest: bigint; madeAtMs: number; blob: Blob };

type Compress = (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;

/** Our order where the client has no preference: by the cost for it and for us (see the README). */
const OURS: readonly ContentCoding[] = ["zstd", "br", "gzip", "identity"];
/** RFC 9110 12.4.2: up to three digits after the point. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
/**
 * Limits the headers that are remembered: as many as browsers and libraries send. Longer ones are
 * parsed each time.
 */
const REMEMBERED_MAX = 128;
const REMEMBERED_LENGTH_MAX = 128;

const AS_IT_IS: AcceptedCodings = { large: "identity", small: "identity" };
const remembered = new Map<string, AcceptedCodings>();

/** Members with the time of the answer, which say nothing about the market. */
const MOMENTS = ["servedAt", "observedAt"].map((name) => Buffer.from(`"${name}":"`));
const QUOTE = 0x22;
/** The bytes before a member's name in JSON without blanks; inside a text the quote is escaped. */
const BEFORE_NAME = new Set([0x7b, 0x2c]);
/** The longest text of a time; a longer one is part of the answer. */
const MOMENT_BYTES_MAX = 40;

/** The limit of compressed bodies in this process; a page of 200 events is 50 kB. */
const KEPT_BYTES_MAX = 16_777_216;
/** How long a body is used for an answer that differs only in its time … */
const REUSED_MS = 100;
/** … and how long while the next one is being compressed. */
const BRIDGED_MS = 1_000;

/** The levels are chosen by measurement (see the README). */
const compress: Record<CompressedCoding, Compress> = {
	gzip: async (bytes) => plain(await gzipped(bytes, { level: 6 })),
	br: async (bytes) =>
		plain(
			await brotlied(bytes, {
				params: {
					[constants.BROTLI_PARAM_QUALITY]: 2,
					[constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
				},
			}),
		),
	zstd: async (bytes) =>
		plain(await zstded(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } })),
};
const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);
const zstded = promisify(zstdCompress);

/** A tag as in RFC 9110 8.8.3; text between two of them is ignored. */
const TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/** The size from which answers are compressed: below it head and body fit one packet anyway. */
export const COMPRESSED_BYTES_MIN = 1_024;

/** Browsers and proxies may keep it, but must ask before each use: 304 if nothing changed. */
const REVALIDATED = "public, max-age=0, must-revalidate";

/**
 * Compresses answers off the event loop, each once for all requests. Compressed bodies are kept by
 * their tag, so an equal answer finds them again.
 */
export function createEncoder({ clock }: { clock: Clock }): Encoder {
	const kept = new LRUCache<string, Encoded>({
		maxSize: KEPT_BYTES_MAX,
		sizeCalculation: ({ blob }) => blob.size + 1,
	});
	const making = new Map<string, Promise<Blob>>();

	function make(content: Content, coding: CompressedCoding): Promise<Blob> {
		const key = coding + content.etag;
		const running = making.get(key);
		if (running) return running;
		const made = begin(key, content, coding).finally(() => making.delete(key));
		making.set(key, made);
		return made;
	}

	async function begin(key: string, content: Content, coding: CompressedCoding): Promise<Blob> {
		const madeAtMs = clock.nowMs();
		const blob = new Blob([await compress[coding](await content.blob.bytes())]);
		kept.set(key, { digest: content.digest, madeAtMs, blob });
		return blob;
	}

	function ready(content: Content, variant: Variant): Blob | null | undefined {
		if (variant === "unchanged") return null;
		if (variant === "identity") return content.blob;
		const found = kept.get(variant + content.etag);
		if (!found) return undefined;
		if (found.digest === content.digest) return found.blob;
		const ageMs = Math.abs(clock.nowMs() - found.madeAtMs);
		if (ageMs >= BRIDGED_MS) return undefined;
		// If this fails, a request that waits for it will report the error.
		if (ageMs >= REUSED_MS) make(content, variant).catch(() => {});
		return found.blob;
	}

	return {
		ready,
		async encode(content, variant) {
			const there = ready(content, variant);
			if (there !== undefined || variant === "unchanged" || variant === "identity") {
				return there ?? null;
			}
			return make(content, variant);
		},
	};
}

/**
 * Returns the answer of a public route (`canBeCached`) as this request wants it: compressed, plain,
 * or a 304. Throws `not_acceptable` where the request accepts none of these.
 *
 * An answer that must not be kept, or that sets a cookie, stays unchanged: compressing secrets
 * beside a stranger's text reveals them by the length (BREACH).
 */
export async function publish(
	response: Response,
	{ request, encoder }: { request: Request; encoder: Encoder },
): Promise<Response> {
	const { headers } = response;
	const isSomebodys = /no-store|private/.test(headers.get("cache-control") ?? "");
	if (isSomebodys || headers.has("set-cookie") || headers.has("content-encoding")) return response;
	const content = contentOf(await response.bytes());
	const variant = negotiate(request, content);
	if (variant === undefined) throw httpFault.notAcceptable();
	const { etag } = content;
	const body = await encoder.encode(content, variant);
	const status = variant === "unchanged" ? 304 : 200;
	const told = variantHeaders(Object.fromEntries(headers), { etag, variant });
	return new Response(body, { status, headers: told });
}

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

/**
 * Returns the variant of an answer for a request; undefined where it accepts none of our codings.
 */
export function negotiate(request: Request, content: Content): Variant | undefined {
	const { headers } = request;
	const { large, small } = acceptedCodings(headers.get("accept-encoding"));
	const coding = content.size < COMPRESSED_BYTES_MIN ? small : large;
	// Checked first: a condition counts only if the answer would be sent without it (RFC 9110
	// 13.2.1).
	if (coding === undefined) return undefined;
	const held = headers.get("if-none-match");
	return held !== null && holdsTag(held, content.etag) ? "unchanged" : coding;
}

/**
 * Reads an `Accept-Encoding` header (RFC 9110 12.5.3): weights, `*`, and refusals with `q=0`.
 * Invalid entries are ignored. Without the header the answer is sent uncompressed: such a client
 * may be unable to decode anything.
 */
export function acceptedCodings(header: string | null): AcceptedCodings {
	if (header === null) return AS_IT_IS;
	const known = remembered.get(header);
	if (known) return known;
	const read = readHeader(header);
	if (header.length <= REMEMBERED_LENGTH_MAX) {
		if (remembered.size >= REMEMBERED_MAX) remembered.clear();
		remembered.set(header, read);
	}
	return read;
}

/**
 * Returns whether an `If-None-Match` header contains `etag`, or every tag (`*`). By weak
 * comparison, as for reads (RFC 9110 13.1.2): a cache may have changed a weak tag to a strong one,
 * or the reverse.
 */
export function holdsTag(header: string, etag: string): boolean {
	if (header === etag) return true;
	if (header.trim() === "*") return true;
	const wanted = opaque(etag);
	return [...header.matchAll(TAG)].some(([, tag]) => tag === wanted);
}

/**
 * Returns the headers of one variant, from those of the answer itself, in lower case. A 304 has
 * those of the 200 that concern caching (RFC 9110 15.4.5).
 */
export function variantHeaders(
	headers: Readonly<Record<string, string>>,
	{ etag, variant }: { etag: string; variant: Variant },
): Record<string, string> {
	const { "content-type": type, "content-length": _, ...rest } = headers;
	const kept = {
		"cache-control": REVALIDATED,
		...rest,
		vary: varyWith(headers.vary, "Accept-Encoding"),
		etag,
	};
	if (variant === "unchanged") return kept;
	return {
		...kept,
		...(type !== undefined && { "content-type": type }),
		...(variant !== "identity" && { "content-encoding": variant }),
	};
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

function hashWithout(bytes: Buffer, spans: readonly Span[]): bigint {
	let hash = 0n;
	let from = 0;
	for (const span of spans) {
		hash = hashOf(bytes.subarray(from, span.from), hash);
		from = span.to;
	}
	return hashOf(bytes.subarray(from), hash);
}

function readHeader(header: string): AcceptedCodings {
	const wishes = header.split(",").flatMap(readWish);
	const weightOf = (coding: ContentCoding): number => {
		const own = wishes.find((wish) => wish.coding === coding);
		const any = wishes.find((wish) => wish.coding === "*");
		// Below every explicit weight: so plain is used if nothing else is accepted, unless it was
		// refused.
		return (own ?? any)?.weight ?? (coding === "identity" ? Number.MIN_VALUE : 0);
	};
	const large = OURS.reduce((best, coding) => (weightOf(coding) > weightOf(best) ? coding : best));
	const best = weightOf(large) > 0 ? large : undefined;
	return { large: best, small: weightOf("identity") > 0 ? "identity" : best };
}

function readWish(text: string): Wish[] {
	const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
	const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
	if (name === "" || !WEIGHT.test(weight)) return [];
	// RFC 9110 8.4.1.3: an older name of gzip.
	return [{ coding: name === "x-gzip" ? "gzip" : name, weight: Number(weight) }];
}

function opaque(etag: string): string {
	return etag.replace(/^W\//, "").slice(1, -1);
}

/** Returns the same bytes; Node's type does not say who owns their memory. */
function plain(bytes: Buffer): Uint8Array<ArrayBuffer> {
	return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
