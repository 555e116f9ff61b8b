/**
 * How an endpoint was caught telling what cannot be so. These are values of a metric's label:
 * few, and never anything an endpoint wrote.
 */
export type RpcInconsistency =
	/** Logs that a block's bloom, or another answer, says must be there are not. */
	| "missing_logs"
	/** Two answers name one block by different hashes, and no reorg explains it. */
	| "hash_mismatch"
	| "duplicate_log"
	/** A log or a block which is not of the range that was asked for. */
	| "foreign_log"
	| "wrong_chain"
	/** The newest block is older than the one the same endpoint named before. */
	| "head_jumped_back"
	/** The newest block is further than the chain can be by what all endpoints said so far. */
	| "head_too_far"
	/** It was asked beside others, and told otherwise. */
	| "disagreement"
	/** A receipt in a block that is not on the chain, or does not have the transaction. */
	| "false_receipt"
	/** What is no header, no log, no transaction, no number that a node can mean. */
	| "malformed";
