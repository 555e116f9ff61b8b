import type { CallBudget } from "#core/chain/rpc/budget/CallBudget.ts";
import { payCalls } from "#core/chain/rpc/budget/payCalls.ts";
import type { Pacer } from "#core/chain/rpc/createPacer.ts";
import { postRpc } from "#core/chain/rpc/postRpc.ts";
import type { Rpc, RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import type { RpcObserver } from "#core/chain/rpc/RpcObserver.ts";
import { readAnswers, settleAnswers } from "#core/chain/rpc/readAnswers.ts";
import { runChunks } from "#core/chain/rpc/runChunks.ts";
import { Fault } from "#core/fault/Fault.ts";

export type HttpRpcOptions = {
	url: string;
	/** How long one HTTP request may take. */
	timeoutMs: number;
	/** Calls in one HTTP request; where an endpoint allows fewer, that is learned. */
	batchMax: number;
	/** HTTP requests of one batch under way at once. */
	concurrencyMax: number;
	/** Answers larger than this, unpacked, are refused. */
	bodyBytesMax: number;
	/** Each request waits here for its turn. */
	pacer?: Pacer | undefined;
	/** Calls of each request wait here for their turn; a batch that is too much is cut. */
	budget?: CallBudget | undefined;
	/** True where each call is paid for: see `Rpc.isScarce`. */
	isBilled?: boolean | undefined;
	/** What is refused for its rate is put here again: there is nobody else to ask. */
	isAlone?: boolean | undefined;
	/** Is told of each request. */
	observer?: RpcObserver | undefined;
	fetch?: typeof fetch;
};

type ReadAnswers<Answer> = (body: unknown, calls: readonly RpcCall[], firstId: number) => Answer[];

/** JSON-RPC over HTTP to one endpoint. Does not retry: its caller knows what is worth retrying. */
export function httpRpc(options: HttpRpcOptions): Rpc {
	const { pacer, observer, concurrencyMax } = options;
	const stats = { requests: 0, calls: 0, bytes: 0 };
	let batchMax = options.batchMax;
	let nextId = 1;

	return {
		call: async (call, callOptions = {}) => (await paid([call], callOptions, readAnswers))[0],
		batch: (calls, callOptions = {}) => inChunks(calls, callOptions, readAnswers),
		settle: (calls, callOptions = {}) => inChunks(calls, callOptions, settleAnswers),
		// Who is alone cannot be avoided: what comes of distrust is decided among several.
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

	/** What the endpoint finds too many calls is halved, and the half is remembered. */
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

/** One call alone is no batch: there are endpoints that take none. */
function bodyOf(calls: readonly RpcCall[], firstId: number): string {
	const bodies = calls.map(({ method, params }, index) => {
		return { jsonrpc: "2.0", id: firstId + index, method, params };
	});
	return JSON.stringify(bodies.length === 1 ? bodies[0] : bodies);
}

function outcomeOf(error: unknown): string {
	return error instanceof Fault ? error.code.replace(/^rpc_/, "") : "unexpected";
}
