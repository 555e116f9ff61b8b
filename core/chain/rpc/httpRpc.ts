// Sends JSON-RPC to one endpoint over HTTP, within limits of time, size and rate.

import { type CallBudget, payCalls } from "#core/chain/rpc/callBudget.ts";
import { runChunks } from "#core/chain/rpc/findAgreement.ts";
import type { Pacer } from "#core/chain/rpc/openEndpoint.ts";
import {
	type Rpc,
	type RpcCall,
	type RpcObserver,
	type RpcOptions,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";
import { cutText, readAnswers, retryAfterMs, settleAnswers } from "#core/chain/rpc/readAnswers.ts";
import { Fault } from "#core/fault.ts";

export type RpcPost = {
	url: string;
	body: string;
	/** The number of calls in the body. */
	calls: number;
	timeoutMs: number;
	bodyBytesMax: number;
	signal?: AbortSignal | undefined;
	fetch?: typeof fetch;
};

/** The answer, and its size in bytes as read. */
export type RpcPosted = { body: unknown; bytes: number };

export type HttpRpcOptions = {
	url: string;
	/** Limits the time of one HTTP request. */
	timeoutMs: number;
	/** The most calls in one HTTP request; an endpoint's lower limit is learned. */
	batchMax: number;
	/** The most HTTP requests of one batch at once. */
	concurrencyMax: number;
	/** Larger answers, after decompression, are refused. */
	bodyBytesMax: number;
	/** Delays each request until its turn. */
	pacer?: Pacer | undefined;
	/** Delays the calls of each request until their turn; too large a batch is split. */
	budget?: CallBudget | undefined;
	/** True if each call is paid for: see `Rpc.isScarce`. */
	isBilled?: boolean | undefined;
	/** True without another endpoint: then rate-limited requests are repeated here. */
	isAlone?: boolean | undefined;
	/** Observes each request. */
	observer?: RpcObserver | undefined;
	fetch?: typeof fetch;
};

type ReadAnswers<Answer> = (body: unknown, calls: readonly RpcCall[], firstId: number) => Answer[];

/** Pages of proxies and load balancers that are no JSON are smaller. */
const LARGE_BYTES_MIN = 256 * 1024;

/**
 * Makes the JSON-RPC client of one endpoint over HTTP. It does not retry: its caller decides that.
 */
export function httpRpc(options: HttpRpcOptions): Rpc {
	const { pacer, observer, concurrencyMax } = options;
	const stats = { requests: 0, calls: 0, bytes: 0 };
	let batchMax = options.batchMax;
	let nextId = 1;

	return {
		call: async (call, callOptions = {}) => (await paid([call], callOptions, readAnswers))[0],
		batch: (calls, callOptions = {}) => inChunks(calls, callOptions, readAnswers),
		settle: (calls, callOptions = {}) => inChunks(calls, callOptions, settleAnswers),
		// A single endpoint cannot be avoided: the pool decides about distrust.
		distrust: () => {},
		isScarce: () => options.isBilled === true || (options.budget?.isLimited() ?? false),
		stats: () => ({ ...stats }),
	};

	function inChunks<Answer>(
		calls: readonly RpcCall[],
		callOptions: RpcOptions,
		read: ReadAnswers<Answer>,
	): Promise<Answer[]> {
		const limits = { batchMax, concurrencyMax: callOptions.inOrder ? 1 : concurrencyMax };
		return runChunks(calls, limits, (chunk) => chunkOf(chunk, callOptions, read));
	}

	/**
	 * Sends a chunk; if the endpoint refuses its number of calls it is halved, and the half
	 * remembered.
	 */
	async function chunkOf<Answer>(
		calls: readonly RpcCall[],
		callOptions: RpcOptions,
		read: ReadAnswers<Answer>,
	): Promise<Answer[]> {
		try {
			return await paid(calls, callOptions, read);
		} catch (error) {
			const isTooMany = error instanceof Fault && error.meta.batchRefused === true;
			if (!isTooMany || calls.length === 1) throw error;
			batchMax = Math.min(batchMax, Math.ceil(calls.length / 2));
			return inChunks(calls, callOptions, read);
		}
	}

	function paid<Answer>(
		calls: readonly RpcCall[],
		callOptions: RpcOptions,
		read: ReadAnswers<Answer>,
	): Promise<Answer[]> {
		const put = (part: readonly RpcCall[]) => request(part, callOptions, read);
		return payCalls(calls, { ...options, ...callOptions }, put);
	}

	async function request<Answer>(
		calls: readonly RpcCall[],
		callOptions: RpcOptions,
		read: ReadAnswers<Answer>,
	): Promise<Answer[]> {
		await pacer?.turn(callOptions.signal);
		const firstId = nextId;
		nextId += calls.length;
		stats.requests++;
		stats.calls += calls.length;
		const ended = observer?.began(calls, callOptions.purpose ?? "other");
		let bytes = 0;
		try {
			const { signal, bodyBytesMax = options.bodyBytesMax } = callOptions;
			const answered = await postRpc({
				...options,
				body: bodyOf(calls, firstId),
				calls: calls.length,
				signal,
				bodyBytesMax: Math.min(bodyBytesMax, options.bodyBytesMax),
			});
			bytes = answered.bytes;
			stats.bytes += bytes;
			const answers = read(answered.body, calls, firstId);
			ended?.("ok", bytes);
			return answers;
		} catch (error) {
			ended?.(callOptions.signal?.aborted ? "aborted" : outcomeOf(error), bytes);
			throw error;
		}
	}
}

/**
 * Sends one JSON-RPC body and returns the answer. Throws a transport fault where none came, and
 * others where the answer is too large or the node refused the batch.
 */
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
 * Returns an answer's text, of at most `bytesMax`: a node with too large an answer, or a hostile
 * one, must not fill the memory. An announced length is checked first; without one, or with
 * compression, bytes are counted while they are read.
 */
export async function readBody(response: Response, bytesMax: number): Promise<string> {
	const announced = announcedBytes(response);
	if (announced > bytesMax) {
		await response.body?.cancel();
		throw rpcFault.range({
			detail: `an answer of ${announced} bytes was refused`,
			meta: { timesTooLarge: announced / bytesMax },
		});
	}
	if (exactBytes(response) !== null || response.body === null) return response.text();
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of response.body) {
		bytes += chunk.byteLength;
		// Leaving the loop cancels the stream.
		if (bytes > bytesMax) {
			throw rpcFault.range({ detail: `an answer of more than ${bytesMax} bytes was refused` });
		}
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

/** Returns the length of the body, if it is known before it is read. */
export function exactBytes(response: Response): number | null {
	const bytes = announcedBytes(response);
	return bytes >= 0 && !response.headers.has("content-encoding") ? bytes : null;
}

/** Returns the body; one call is not sent as a batch, because some endpoints accept none. */
function bodyOf(calls: readonly RpcCall[], firstId: number): string {
	const bodies = calls.map(({ method, params }, index) => {
		return { jsonrpc: "2.0", id: firstId + index, method, params };
	});
	return JSON.stringify(bodies.length === 1 ? bodies[0] : bodies);
}

function outcomeOf(error: unknown): string {
	return error instanceof Fault ? error.code.replace(/^rpc_/, "") : "unexpected";
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

function withoutUrls(text: string): string {
	return text.replace(/https?:\/\/\S+/gi, "(URL)");
}

function announcedBytes({ headers }: Response): number {
	return Number(headers.get("content-length") ?? Number.NaN);
}
