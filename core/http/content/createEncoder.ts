import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { Clock } from "#core/clock/Clock.ts";
import type { CompressedCoding, Variant } from "#core/http/content/ContentCoding.ts";
import type { Content } from "#core/http/content/contentOf.ts";

export type Encoder = {
	/** Returns the body of a variant if it exists; null for a variant without a body. */
	ready(content: Content, variant: Variant): Blob | null | undefined;
	/** Returns the body, and makes it if it does not exist. */
	encode(content: Content, variant: Variant): Promise<Blob | null>;
};

type Encoded = { digest: bigint; madeAtMs: number; blob: Blob };

/** The limit of compressed bodies in this process; a page of 200 events is 50 kB. */
const KEPT_BYTES_MAX = 16_777_216;
/** How long a body is used for an answer that differs only in its time … */
const REUSED_MS = 100;
/** … and how long while the next one is being compressed. */
const BRIDGED_MS = 1_000;

/** Levels are chosen by measurement (see the README). */
type Compress = (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;
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

/** Returns the same bytes; Node's type does not say who owns their memory. */
function plain(bytes: Buffer): Uint8Array<ArrayBuffer> {
	return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
}
