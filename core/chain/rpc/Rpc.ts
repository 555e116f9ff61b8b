import type { RpcInconsistency } from "#core/chain/rpc/RpcInconsistency.ts";
import type { RpcPurpose } from "#core/chain/rpc/RpcPurpose.ts";
import type { Fault } from "#core/fault/Fault.ts";

/** One JSON-RPC call. */
export type RpcCall = { method: string; params: readonly unknown[] };

export type RpcOptions = {
	/** Who asks. Set by `ChainAccess.rpcFor`, and nowhere else. */
	purpose?: RpcPurpose | undefined;
	signal?: AbortSignal | undefined;
	/** Refuses a larger answer as `rpc_range`, with how many times too large it is in `meta`. */
	bodyBytesMax?: number | undefined;
	/** The newest block the question needs: an endpoint that lacks it is asked last. */
	minBlock?: number | undefined;
	/**
	 * Calls of a batch that does not fit one request are sent one request after the other, so that
	 * what stands first was answered first.
	 */
	inOrder?: boolean | undefined;
	/**
	 * Says whether the result of the call at `index` can be so: a number in its range, a transaction
	 * of the hash that was asked for. Where it says no, the endpoint is put last and another one is
	 * asked. Only what no honest node answers, whatever stands on its chain, may be refused here.
	 */
	isReadable?: ((result: unknown, index: number) => boolean) | undefined;
	/**
	 * Asks another endpoint than the one that served last, where there is one: for a second opinion.
	 */
	second?: boolean | undefined;
	/**
	 * Names of endpoints that answered what belongs together; whoever answers this is added. With
	 * `second` these are asked last: others ask at the same time, so who served last says little.
	 */
	heard?: Set<string> | undefined;
	/** Answers only what as many endpoints as the deployment asks for (`RPC_QUORUM`) agree on. */
	quorum?: RpcQuorum | undefined;
};

/**
 * What two answers are compared by: the whole result, or what `digest` makes of the result of the
 * call at `index`, for results in which honest nodes differ.
 */
export type RpcQuorum = true | { digest(result: unknown, index: number): string };

/** One call's own outcome in a batch whose calls stand for themselves. */
export type RpcOutcome = { kind: "result"; result: unknown } | { kind: "fault"; fault: Fault };

/** How much was asked of the endpoints so far. */
export type RpcStats = { requests: number; calls: number; bytes: number };

/**
 * JSON-RPC to one chain. Results are what the node sent, unparsed: whoever asks checks.
 *
 * Throws only `rpcFault`s: `rpc_transport` (nothing was learned, ask again), `rpc_unreadable` (the
 * same: what was answered cannot be so, by `isReadable` or by its head), `rpc_range` (the node
 * finds the range too large, ask for less; `meta.rangeBlocksMax` is how much it allows, where it
 * says so), `rpc_refused` (the node answered an error), `rpc_wrong_chain` where no endpoint
 * serves the chain, and `rpc_disagreement` where a quorum was asked for and endpoints contradict
 * each other.
 */
export type Rpc = {
	call(call: RpcCall, options?: RpcOptions): Promise<unknown>;
	/** Results in the order of the calls. One call's error fails all. */
	batch(calls: readonly RpcCall[], options?: RpcOptions): Promise<unknown[]>;
	/**
	 * The same, but a call that the node refuses fails alone, and so does one whose result no
	 * endpoint made readable. Throws where nothing was learned.
	 */
	settle(calls: readonly RpcCall[], options?: RpcOptions): Promise<RpcOutcome[]>;
	/**
	 * Says that the newest answer proved inconsistent: it is counted, and whoever served it is asked
	 * last for a while.
	 */
	distrust(kind: RpcInconsistency): void;
	/**
	 * True where somebody bills calls, and while a limit makes them wait: ask for one large answer
	 * then, not many small ones.
	 */
	isScarce?(): boolean;
	stats(): RpcStats;
};
