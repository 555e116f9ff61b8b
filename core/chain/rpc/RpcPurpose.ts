/**
 * Who asks an endpoint, and how urgent that is: 1 is served first. A closed list: whoever takes an
 * `Rpc` from the runtime says which (`ChainAccess.rpcFor`), so each call is counted, and waits,
 * under its own name.
 */
export const RPC_PURPOSES = {
	/** What open intents need: plan, simulation, nonce, sending, receipts. */
	intents: 1,
	/** Somebody waits for the answer: a contract's signature, a price of gas. */
	requests: 2,
	/** Which block is the newest. */
	heads: 2,
	/** Lanes within reach of reorgs, and their repairs. */
	live: 2,
	/** Tokens of collections whose reveal somebody waits for. */
	reveals: 2,
	/** What feeds say now. */
	prices: 2,
	/** Spare endpoints, asked now and then to know how they are. */
	probes: 2,
	/** Lanes below the reach of reorgs. */
	catch_up: 3,
	/** What is owed below the lanes, and contracts' histories. */
	backfill: 4,
	/** What feeds said before. */
	price_history: 4,
	/** Names, kinds and supplies of collections; symbols of currencies. */
	names: 5,
	/** Where tokens' documents are. */
	tokens: 5,
	/** An `Rpc` that did not come from the runtime: commands and tests. */
	other: 2,
} as const;

export type RpcPurpose = keyof typeof RPC_PURPOSES;

/** 1 (first) to 5 (last). */
export type RpcRank = (typeof RPC_PURPOSES)[RpcPurpose];
