import { defineFaults } from "#core/fault/defineFaults.ts";

export const scannerFault = defineFaults({
	/** The node contradicts itself or lags: nothing was learned, ask again. */
	inconsistent: {
		code: "rpc_inconsistent",
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint gave an answer that does not hold together.",
	},
	logFile: {
		code: "log_file_invalid",
		status: 422,
		retry: "never",
		public: "The file of logs cannot be read.",
	},
	cursorMoved: {
		code: "lane_cursor_moved",
		status: 500,
		retry: "later",
		public: "A lane's cursor was moved by somebody else.",
	},
});
