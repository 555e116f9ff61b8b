import type { RpcInconsistency } from "#core/chain/rpc/RpcInconsistency.ts";
import type { RpcPurpose } from "#core/chain/rpc/RpcPurpose.ts";
import type { Fault } from "#core/fault/Fault.ts";

/** One JSON-RPC call. */
export type RpcCall = { method: string; params: readonly unknown[] };

export type RpcOptions = {
	/** The purpose of the question. Set only by `ChainAccess.rpcFor`. */
	purpose?: RpcPurpose | undefined;
	signal?: AbortSignal | undefined;
	/** Refuses a larger answer as `rpc_range`, with how many times too large it is in `meta`. */
	bodyBytesMax?: number | undefined;
	/** The newest block that the question needs: an endpoint without it is asked last. */
	minBlock?: number | undefined;
	/**
	 * If a batch needs several requests they are sent one after the other, so that earlier calls are
	 * answered earlier.
	 */
	inOrder?: boolean | undefined;
	/**
	 * Returns whether the result of the call at `index` is possible: a number in its range, a
	 * transaction with the requested hash. If not, the endpoint is ranked last and another one is
	 * asked. It may only refuse results that no honest node sends, whatever is on its chain.
	 */
	isReadable?: ((result: unknown, index: number) => boolean) | undefined;
	/** Asks another endpoint than the last one, if there is one: for a second opinion. */
	second?: boolean | undefined;
	/**
	 * Names of endpoints whose answers belong together; the one that answers is added. With `second`
	 * these are asked last: callers run in parallel, so the last endpoint is not reliable.
	 */
	heard?: Set<string> | undefined;
	/** Returns only what as many endpoints agree on as the deployment requires (`RPC_QUORUM`). */
	quorum?: RpcQuorum | undefined;
};

/**
 * How two answers are compared: the whole result, or `digest` of the result of the call at `index`,
 * for results in which honest nodes differ.
 */
export type RpcQuorum = true | { digest(result: unknown, index: number): string };

/** One call's outcome in a batch of independent calls. */
export type RpcOutcome = { kind: "result"; result: unknown } | { kind: "fault"; fault: Fault };

/** What was sent to the endpoints so far. */
export type RpcStats = { requests: number; calls: number; bytes: number };

/**
 * JSON-RPC to one chain. Results are unparsed: callers must check them.
 *
 * Throws only `rpcFault`s: `rpc_transport` (nothing was learned, ask again), `rpc_unreadable` (the
 * same: an impossible answer, by `isReadable` or by its head), `rpc_range` (the node finds the
 * range too large, ask for less; `meta.rangeBlocksMax` is its limit, if it names one),
 * `rpc_refused` (the node answered an error), `rpc_wrong_chain` where no endpoint serves the chain,
 * and `rpc_disagreement` where a quorum was required and endpoints contradict each other.
 */
export type Rpc = {
	call(call: RpcCall, options?: RpcOptions): Promise<unknown>;
	/** Returns results in the order of the calls. One call's error fails all. */
	batch(calls: readonly RpcCall[], options?: RpcOptions): Promise<unknown[]>;
	/**
	 * The same, but a refused call fails alone, and so does one whose result no endpoint made
	 * readable. Throws where nothing was learned.
	 */
	settle(calls: readonly RpcCall[], options?: RpcOptions): Promise<RpcOutcome[]>;
	/**
	 * Reports that the newest answer proved inconsistent: it is counted, and its endpoint is asked
	 * last for a while.
	 */
	distrust(kind: RpcInconsistency): void;
	/**
	 * True if calls are billed, or wait because of a limit: then use one large question, not many
	 * small ones.
	 */
	isScarce?(): boolean;
	stats(): RpcStats;
};
