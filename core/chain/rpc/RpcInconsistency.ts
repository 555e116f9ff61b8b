/**
 * How an endpoint's answer was impossible. These are values of a metric's label: few, and never
 * text from an endpoint.
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
	/** An invalid header, log, transaction or number. */
	| "malformed";
