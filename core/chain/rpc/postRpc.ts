import { rpcFault } from "#core/chain/rpc/faults.ts";
import { cutText } from "#core/chain/rpc/readAnswers.ts";
import { readBody } from "#core/chain/rpc/readBody.ts";
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

/** Sends one JSON-RPC body; answers the text of what decides, or fails as silence. */
export async function postRpc(post: RpcPost): Promise<string> {
	const { url, body, signal, fetch: fetchIt = fetch } = post;
	const timeout = AbortSignal.timeout(post.timeoutMs);
	try {
		const response = await fetchIt(url, {
			method: "POST",
			// Bun unpacks brotli and zstd whole before we can count (76 KB became 183 MB).
			headers: { "content-type": "application/json", "accept-encoding": "gzip" },
			body,
			redirect: "error",
			signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
		});
		const text = await readBody(response, post.bodyBytesMax);
		if (isAnswer(response.status) && (response.ok || looksLikeJson(text))) return text;
		throw noAnswer(response, post.calls, text);
	} catch (error) {
		if (error instanceof Fault) throw error;
		// Without the error itself: it holds the URL, and in the URL is often a key.
		throw rpcFault.transport({ detail: withoutUrls(cutText(String(error))) });
	}
}

function noAnswer({ status, headers }: Response, calls: number, text: string): Fault {
	const detail = `HTTP ${status}: ${cutText(text)}`;
	if (status === 413 && calls > 1)
		return rpcFault.refused({ detail, meta: { batchRefused: true } });
	const waitMs = status === 429 || status === 503 ? retryAfterMs(headers) : null;
	return rpcFault.transport({ detail, meta: waitMs === null ? {} : { retryAfterMs: waitMs } });
}

/**
 * Whose body decides: some nodes send JSON-RPC errors with 400 or 500. A 401, 429 or 503 speaks of
 * us or of the endpoint, never of the question, whatever its body says.
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
