// Defines JSON-RPC to a chain: its options, purposes and faults.

import { defineFaults, type Fault } from "#core/fault.ts";

/** Holds one JSON-RPC call. */
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
	 * True: if a batch needs several requests they are sent one after the other, so that earlier
	 * calls are answered earlier.
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
 * Says how two answers are compared: the whole result, or `digest` of the result of the call at
 * `index`, for results in which honest nodes differ.
 */
export type RpcQuorum = true | { digest(result: unknown, index: number): string };

/** Holds one call's outcome in a batch of independent calls. */
export type RpcOutcome = { kind: "result"; result: unknown } | { kind: "fault"; fault: Fault };

/** Counts what was sent to the endpoints so far. */
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
	 * Sends a batch like `batch`, but a refused call fails alone, and so does one whose result no
	 * endpoint made readable. Throws where nothing was learned.
	 */
	settle(calls: readonly RpcCall[], options?: RpcOptions): Promise<RpcOutcome[]>;
	/**
	 * Reports that an answer proved inconsistent: it is counted, and its endpoint is asked last for a
	 * while. Without names of endpoints (`heard`) it is the one of the newest answer.
	 */
	distrust(kind: RpcInconsistency, heard?: ReadonlySet<string>): void;
	/**
	 * True if calls are billed, wait because of a limit, or go to an endpoint that is far away, which
	 * is most likely somebody's behind a tunnel: then use one large question, not many small ones.
	 */
	isScarce?(): boolean;
	stats(): RpcStats;
};

/** A node's error object in a fixed form: `error` members come in every shape. */
export type RpcErrorObject = { code: number | null; message: string };

/**
 * Names why an endpoint's answer is impossible. These are values of a metric's label: few, and
 * never text from an endpoint.
 */
export type RpcInconsistency =
	/** Logs are missing that a block's bloom, or another answer, proves. */
	| "missing_logs"
	/** Two answers have different hashes for one block, and no reorg explains it. */
	| "hash_mismatch"
	| "duplicate_log"
	/** A log or a block outside of the requested range. */
	| "foreign_log"
	| "wrong_chain"
	/** The newest block is older than the one that the same endpoint named before. */
	| "head_jumped_back"
	/** The newest block is further than the chain can be by all endpoints' earlier answers. */
	| "head_too_far"
	/** In a quorum its answer differed from the others. */
	| "disagreement"
	/** A receipt in a block that is not on the chain, or does not contain the transaction. */
	| "false_receipt"
	/** A count of an account's transactions that the blocks of the same endpoint do not show. */
	| "false_count"
	/** An invalid header, log, transaction or number. */
	| "malformed";

/** Observes each HTTP request to one endpoint. */
export type RpcObserver = {
	/**
	 * Called when a request begins. Returns the function to call at its end, with "ok", a fault's
	 * code without `rpc_`, or "aborted" where the caller gave up; and with the number of bytes read.
	 */
	began(calls: readonly RpcCall[], purpose: RpcPurpose): (outcome: string, bytes: number) => void;
};

/** Classes of calls with similar duration: figures of one class say nothing about the other. */
export type CallClass = "light" | "logs";

/**
 * The purpose of a question, and its urgency: 1 is served first. A closed list: each user of a
 * runtime's `Rpc` names one (`ChainAccess.rpcFor`), so each call is counted and queued under it.
 */
export const RPC_PURPOSES = {
	/** Open intents: plan, simulation, nonce, sending, receipts. */
	intents: 1,
	/** A client waits for the answer: a contract's signature, a gas price. */
	requests: 2,
	/** The newest block. */
	heads: 2,
	/** Lanes within reach of reorgs, and their repairs. */
	live: 2,
	/** Tokens of collections whose reveal is awaited. */
	reveals: 2,
	/** Current answers of price feeds. */
	prices: 2,
	/** Spare endpoints, probed now and then for their health. */
	probes: 2,
	/** Lanes below the reach of reorgs. */
	catch_up: 3,
	/** Gaps below the lanes, and contracts' histories. */
	backfill: 4,
	/** Earlier answers of price feeds. */
	price_history: 4,
	/** Names, kinds and supplies of collections; symbols of currencies. */
	names: 5,
	/** URIs of tokens' documents. */
	tokens: 5,
	/** An `Rpc` from outside the runtime: commands and tests. */
	other: 2,
} as const;

export type RpcPurpose = keyof typeof RPC_PURPOSES;

/** Ranks calls, from 1 (first) to 5 (last). */
export type RpcRank = (typeof RPC_PURPOSES)[RpcPurpose];

const PURPOSES = Object.keys(RPC_PURPOSES) as RpcPurpose[];

export const rpcFault = defineFaults({
	transport: {
		code: "rpc_transport",
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint did not answer.",
	},
	unreadable: {
		code: "rpc_unreadable",
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint answered what cannot be so.",
	},
	range: {
		code: "rpc_range",
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint refused the size of a query.",
	},
	refused: {
		code: "rpc_refused",
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint answered an error.",
	},
	wrongChain: {
		code: "rpc_wrong_chain",
		status: 503,
		retry: "later",
		public: "An RPC endpoint serves another chain than it is configured for.",
	},
	disagreement: {
		code: "rpc_disagreement",
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoints contradict each other.",
	},
});

/** Returns the same `Rpc` once per purpose. */
export function byPurpose(rpc: Rpc): Record<RpcPurpose, Rpc> {
	const made: Partial<Record<RpcPurpose, Rpc>> = {};
	for (const purpose of PURPOSES) made[purpose] = withPurpose(rpc, purpose);
	return made as Record<RpcPurpose, Rpc>;
}

/** Returns the same `Rpc` for one user: each question carries the purpose. */
export function withPurpose(rpc: Rpc, purpose: RpcPurpose): Rpc {
	const own = { purpose };
	const as = (options: RpcOptions | undefined) => (options ? { ...options, purpose } : own);
	return {
		call: (call, options) => rpc.call(call, as(options)),
		batch: (calls, options) => rpc.batch(calls, as(options)),
		settle: (calls, options) => rpc.settle(calls, as(options)),
		distrust: rpc.distrust,
		isScarce: () => rpc.isScarce?.() ?? false,
		stats: rpc.stats,
	};
}

/** Returns the class of a request: that of its heaviest call. */
export function callClassOf(calls: readonly RpcCall[]): CallClass {
	return calls.some(({ method }) => method === "eth_getLogs") ? "logs" : "light";
}
