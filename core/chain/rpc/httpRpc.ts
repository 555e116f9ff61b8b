import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc, RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { cutText, readAnswers, settleAnswers } from "#core/chain/rpc/readAnswers.ts";
import { readBody } from "#core/chain/rpc/readBody.ts";
import { runChunks } from "#core/chain/rpc/runChunks.ts";
import { Fault } from "#core/fault/Fault.ts";

export type HttpRpcOptions = {
	url: string;
	/** How long one HTTP request may take. */
	timeoutMs: number;
	/** Calls in one HTTP request; public endpoints refuse large batches. */
	batchMax: number;
	/** HTTP requests of one batch under way at once. */
	concurrencyMax: number;
	/** Answers larger than this, unpacked, are refused. */
	bodyBytesMax: number;
	fetch?: typeof fetch;
};

type ReadAnswers<Answer> = (text: string, calls: readonly RpcCall[], firstId: number) => Answer[];

/** JSON-RPC over HTTP to one endpoint. Does not retry: its caller knows what is worth retrying. */
export function httpRpc(options: HttpRpcOptions): Rpc {
	const fetchIt = options.fetch ?? fetch;
	const stats = { requests: 0, calls: 0, bytes: 0 };
	let nextId = 1;

	return {
		async call(call, callOptions = {}) {
			const firstId = takeIds(1);
			const { method, params } = call;
			const text = await send({ jsonrpc: "2.0", id: firstId, method, params }, 1, callOptions);
			return readAnswers(text, [call], firstId)[0];
		},
		batch: (calls, callOptions = {}) => inChunks(calls, callOptions, readAnswers),
		settle: (calls, callOptions = {}) => inChunks(calls, callOptions, settleAnswers),
		stats: () => ({ ...stats }),
	};

	function inChunks<Answer>(
		calls: readonly RpcCall[],
		callOptions: RpcOptions,
		read: ReadAnswers<Answer>,
	): Promise<Answer[]> {
		return runChunks(calls, options, (chunk) => request(chunk, callOptions, read));
	}

	async function request<Answer>(
		calls: readonly RpcCall[],
		callOptions: RpcOptions,
		read: ReadAnswers<Answer>,
	): Promise<Answer[]> {
		const firstId = takeIds(calls.length);
		const bodies = calls.map(({ method, params }, index) => {
			return { jsonrpc: "2.0", id: firstId + index, method, params };
		});
		return read(await send(bodies, calls.length, callOptions), calls, firstId);
	}

	function takeIds(count: number): number {
		const firstId = nextId;
		nextId += count;
		return firstId;
	}

	async function send(body: object, calls: number, callOptions: RpcOptions): Promise<string> {
		stats.requests++;
		stats.calls += calls;
		const text = await post(JSON.stringify(body), callOptions);
		stats.bytes += text.length;
		return text;
	}

	async function post(body: string, { signal, bodyBytesMax }: RpcOptions): Promise<string> {
		const timeout = AbortSignal.timeout(options.timeoutMs);
		try {
			const response = await fetchIt(options.url, {
				method: "POST",
				// Bun unpacks brotli and zstd whole before we can count (76 KB became 183 MB).
				headers: { "content-type": "application/json", "accept-encoding": "gzip" },
				body,
				redirect: "error",
				signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
			});
			const bytesMax = Math.min(bodyBytesMax ?? options.bodyBytesMax, options.bodyBytesMax);
			const text = await readBody(response, bytesMax);
			if (isAnswer(response.status) && (response.ok || looksLikeJson(text))) return text;
			throw rpcFault.transport({ detail: `HTTP ${response.status}: ${cutText(text)}` });
		} catch (error) {
			if (error instanceof Fault) throw error;
			// Without the error itself: it holds the URL, and in the URL is often a key.
			throw rpcFault.transport({ detail: withoutUrls(cutText(String(error))) });
		}
	}
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
