import { defineFaults } from "#core/fault/defineFaults.ts";

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
