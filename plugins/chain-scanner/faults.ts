import { defineFaults } from "#core/fault.ts";

export const scannerFault = defineFaults({
	/** The node contradicts itself or lags: nothing was learned, and it is asked again. */
	inconsistent: {
		code: "rpc_inconsistent",
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint gave an answer that does not hold together.",
	},
	/**
	 * Thrown where blocks that were read do not link to stored ones: one of the two is of another
	 * fork.
	 */
	forked: {
		code: "lane_forked",
		status: 503,
		retry: "later",
		public: "The chain forked; the index is being repaired.",
	},
	reorgTooDeep: {
		code: "reorg_too_deep",
		status: 503,
		retry: "later",
		public: "More blocks left the chain than the index can take back by itself.",
	},
	logFile: {
		code: "log_file_invalid",
		status: 422,
		retry: "never",
		public: "The file of logs cannot be read.",
		advice: "Give a JSON list of logs, as `eth_getLogs` answers them.",
	},
	/** An operator's command is impossible; the sentence says what is possible. */
	command: {
		code: "command_invalid",
		status: 422,
		retry: "never",
		public: "That cannot be done.",
		advice:
			"Read the sentence: it says what can be done instead; `--help` explains the " + "command.",
	},
	/** Less urgent work stopped for a new block, and is repeated after it. */
	gaveWay: {
		code: "lane_gave_way",
		status: 503,
		retry: "later",
		public: "A new block went first.",
	},
	cursorMoved: {
		code: "lane_cursor_moved",
		status: 500,
		retry: "later",
		public: "A lane's cursor was moved by somebody else.",
	},
});
