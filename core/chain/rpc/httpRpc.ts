import { rpcFault } from "#core/chain/rpc/faults.ts";
import { isRangeError, type RpcErrorObject } from "#core/chain/rpc/isRangeError.ts";
import type { Rpc, RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";

export type HttpRpcOptions = {
	url: string;
	/** How long one HTTP request may take. */
	timeoutMs: number;
	/** Calls in one HTTP request; public endpoints refuse large batches. */
	batchMax: number;
	/** HTTP requests under way at once. */
	concurrencyMax: number;
	/** Answers announced as larger than this are refused unread. */
	bodyBytesMax: number;
	fetch?: typeof fetch;
};

/** Error texts from nodes are cut here: a revert's message can be megabytes. */
const ERROR_TEXT_MAX = 300;

/** JSON-RPC over HTTP to one endpoint. Does not retry: its caller knows what is worth retrying. */
export function httpRpc(options: HttpRpcOptions): Rpc {
	const send = options.fetch ?? fetch;
	const stats = { requests: 0, calls: 0, bytes: 0 };
	let nextId = 1;

	return {
		async call(call, callOptions = {}) {
			const [answer] = await request([call], callOptions, false);
			return answer;
		},
		async batch(calls, callOptions = {}) {
			const chunks: RpcCall[][] = [];
			for (let at = 0; at < calls.length; at += options.batchMax) {
				chunks.push(calls.slice(at, at + options.batchMax));
			}
			const answers: unknown[][] = Array.from({ length: chunks.length });
			let next = 0;
			const worker = async () => {
				for (let at = next++; at < chunks.length; at = next++) {
					answers[at] = await request(chunks[at] ?? [], callOptions, true);
				}
			};
			const workers = Math.min(options.concurrencyMax, chunks.length);
			await Promise.all(Array.from({ length: workers }, worker));
			return answers.flat();
		},
		stats: () => ({ ...stats }),
	};

	async function request(calls: readonly RpcCall[], { signal }: RpcOptions, asBatch: boolean) {
		const firstId = nextId;
		nextId += calls.length;
		const bodies = calls.map(({ method, params }, index) => {
			return { jsonrpc: "2.0", id: firstId + index, method, params };
		});
		stats.requests++;
		stats.calls += calls.length;
		const text = await post(JSON.stringify(asBatch ? bodies : bodies[0]), signal);
		stats.bytes += text.length;
		return readAnswers(text, calls, firstId);
	}

	async function post(body: string, signal: AbortSignal | undefined): Promise<string> {
		const timeout = AbortSignal.timeout(options.timeoutMs);
		try {
			const response = await send(options.url, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body,
				redirect: "error",
				signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
			});
			const announced = Number(response.headers.get("content-length") ?? 0);
			if (announced > options.bodyBytesMax) {
				await response.body?.cancel();
				throw rpcFault.range({ detail: `an answer of ${announced} bytes was refused` });
			}
			const text = await response.text();
			// Some nodes send JSON-RPC errors with status 400 or 500: the body decides.
			if (response.ok || text.startsWith("{") || text.startsWith("[")) return text;
			throw rpcFault.transport({ detail: `HTTP ${response.status}: ${cut(text)}` });
		} catch (error) {
			if (error instanceof Error && error.name === "Fault") throw error;
			throw rpcFault.transport({ detail: cut(String(error)), cause: error });
		}
	}
}

type Answer = { id?: unknown; result?: unknown; error?: RpcErrorObject };

function readAnswers(text: string, calls: readonly RpcCall[], firstId: number): unknown[] {
	const parsed = parseJson(text);
	const answers: Answer[] = Array.isArray(parsed) ? parsed : [parsed];
	// A batch refused as a whole comes back as one error object.
	if (answers.length !== calls.length) {
		const [answer] = answers;
		if (answer?.error) throw answerFault(answer.error, calls[0]);
		throw rpcFault.transport({ detail: `${answers.length} answers to ${calls.length} calls` });
	}
	const results: unknown[] = Array.from({ length: calls.length });
	const seen = new Set<number>();
	for (const [position, answer] of answers.entries()) {
		const index = typeof answer?.id === "number" ? answer.id - firstId : position;
		if (answer?.error) throw answerFault(answer.error, calls[index]);
		if (answer?.result === undefined || index < 0 || index >= calls.length || seen.has(index)) {
			throw rpcFault.transport({ detail: `an answer that fits no call: ${cut(text)}` });
		}
		seen.add(index);
		results[index] = answer.result;
	}
	return results;
}

function parseJson(text: string) {
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw rpcFault.transport({ detail: `not JSON: ${cut(text)}`, cause });
	}
}

function answerFault(error: RpcErrorObject, call: RpcCall | undefined) {
	const detail = `${call?.method ?? "a batch"}: ${error.code} ${cut(error.message ?? "")}`;
	if (isRangeError(error)) return rpcFault.range({ detail });
	const busy = /rate|too many requests|per second|capacity|credits/i.test(error.message ?? "");
	return busy ? rpcFault.transport({ detail }) : rpcFault.refused({ detail });
}

function cut(text: string): string {
	return text.length > ERROR_TEXT_MAX ? `${text.slice(0, ERROR_TEXT_MAX)}…` : text;
}
