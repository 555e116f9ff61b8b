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

/** From 1 (first) to 5 (last). */
export type RpcRank = (typeof RPC_PURPOSES)[RpcPurpose];
