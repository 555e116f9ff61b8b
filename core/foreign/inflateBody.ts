import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { foreignFault } from "#core/foreign/faults.ts";

type Inflate = (body: Uint8Array, limit: { maxOutputLength: number }) => Promise<Buffer>;

/**
 * One layer only: several within each other are asked for by nobody and multiply. No zstd: Bun
 * 1.4.5 takes one that broke off for an empty text.
 */
const INFLATE: Record<string, Inflate> = {
	gzip: promisify(gunzip),
	"x-gzip": promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
};

/** Undoes `content-encoding`, and stops where the result passes `bytesMax`. */
export async function inflateBody(
	body: Buffer,
	encoding: string | null,
	bytesMax: number,
): Promise<Buffer> {
	if (encoding === null || encoding === "identity" || body.length === 0) return body;
	const undo = Object.hasOwn(INFLATE, encoding) ? INFLATE[encoding] : undefined;
	if (!undo) throw foreignFault.unreachable({ detail: "an encoding that nobody asked for" });
	try {
		return await undo(body, { maxOutputLength: bytesMax });
	} catch (cause) {
		const isBomb = cause instanceof RangeError || codeOf(cause) === "ERR_BUFFER_TOO_LARGE";
		if (isBomb) throw foreignFault.tooLarge({ detail: `more than ${bytesMax} bytes inflated` });
		throw foreignFault.unreachable({ detail: "the answer cannot be inflated", cause });
	}
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && "code" in error ? error.code : null;
}
