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
