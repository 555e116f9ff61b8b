import type { LogFilter } from "#core/chain/LogFilter.ts";

/**
 * Somebody who is told logs as a node pushes them (`eth_subscribe`). One chain's sockets serve all
 * of its listeners, each with filters as narrow as what it looks for.
 */
export type LogListener = {
	filters: readonly LogFilter[];
	/**
	 * A log as it came: unchecked, and perhaps from a dead fork, twice, without others of its block,
	 * or never. Early data, to be held against what the node answers when it is asked.
	 */
	onLog(log: unknown): void;
};
