import { rpcFault } from "#core/chain/rpc/faults.ts";
import { cutText } from "#core/chain/rpc/readAnswers.ts";
import { exactBytes, readBody } from "#core/chain/rpc/readBody.ts";
import { retryAfterMs } from "#core/chain/rpc/retryAfterMs.ts";
import { Fault } from "#core/fault/Fault.ts";

export type RpcPost = {
	url: string;
	body: string;
	/** How many calls the body holds. */
	calls: number;
	timeoutMs: number;
	bodyBytesMax: number;
	signal?: AbortSignal | undefined;
	fetch?: typeof fetch;
};

/** Pages of proxies and load balancers that are no JSON are smaller. */
const LARGE_BYTES_MIN = 256 * 1024;

/** The answer, and its size in bytes as read. */
export type RpcPosted = { body: unknown; bytes: number };

/** Sends one JSON-RPC body; returns the answer, or fails as silence. */
export async function postRpc(post: RpcPost): Promise<RpcPosted> {
	const { url, body, signal, fetch: fetchIt = fetch } = post;
	const timeout = AbortSignal.timeout(post.timeoutMs);
	try {
		const response = await fetchIt(url, {
			method: "POST",
			// Bun decompresses brotli and zstd fully before we can count (76 KB became 183 MB).
			headers: { "content-type": "application/json", "accept-encoding": "gzip" },
			body,
			redirect: "error",
			signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
		});
		const large = response.ok ? await readLarge(response, post.bodyBytesMax) : null;
		if (large) return large;
		const text = await readBody(response, post.bodyBytesMax);
		if (isAnswer(response.status) && (response.ok || looksLikeJson(text))) {
			return { body: parseJson(text), bytes: text.length };
		}
		throw noAnswer(response, post.calls, text);
	} catch (error) {
		if (error instanceof Fault) throw error;
		// Without the error itself: it holds the URL, which often contains a key.
		throw rpcFault.transport({ detail: withoutUrls(cutText(String(error))) });
	}
}

/**
 * Parses a large answer directly from its bytes: a copy as text would be half of all garbage while
 * catching up. The text of a small one is kept, to be quoted if it is no JSON.
 */
async function readLarge(response: Response, bytesMax: number): Promise<RpcPosted | null> {
	const bytes = exactBytes(response) ?? 0;
	if (bytes < LARGE_BYTES_MIN || bytes > bytesMax) return null;
	return { body: await response.json(), bytes };
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw rpcFault.transport({ detail: `not JSON: ${cutText(text)}`, cause });
	}
}

function noAnswer({ status, headers }: Response, calls: number, text: string): Fault {
	const detail = `HTTP ${status}: ${cutText(text)}`;
	if (status === 413 && calls > 1)
		return rpcFault.refused({ detail, meta: { batchRefused: true } });
	const waitMs = status === 429 || status === 503 ? retryAfterMs(headers) : null;
	const asked = waitMs === null ? {} : { retryAfterMs: waitMs };
	return rpcFault.transport({
		detail,
		meta: status === 429 ? { ...asked, rateLimited: true } : asked,
	});
}

/**
 * Returns whether the body decides: some nodes send JSON-RPC errors with 400 or 500. A 401, 429 or
 * 503 is about us or the endpoint, never about the question, whatever its body says.
 */
function isAnswer(status: number): boolean {
	return (status >= 200 && status < 300) || status === 400 || status === 413 || status === 500;
}

function looksLikeJson(text: string): boolean {
	return /^\s*[[{]/.test(text);
}

function withoutUrls(text: string): string {
	return text.replace(/https?:\/\/\S+/gi, "(URL)");
}
