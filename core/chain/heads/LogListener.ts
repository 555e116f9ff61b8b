import type { LogFilter } from "#core/chain/LogFilter.ts";

/**
 * A listener to logs that a node pushes (`eth_subscribe`). One chain's sockets serve all of its
 * listeners, each with filters as narrow as possible.
 */
export type LogListener = {
	filters: readonly LogFilter[];
	/**
	 * Called with a log as received: unchecked, and perhaps from a dead fork, twice, without others
	 * of its block, or never. Early data, to be compared with what the node answers when asked.
	 */
	onLog(log: unknown): void;
};
