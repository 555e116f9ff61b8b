import { defineFaults } from "#core/fault/defineFaults.ts";

/** Failures of a node's answer. Nothing was learned, so it is asked again. */
export const chainFault = defineFaults({
	chainUnreadable: {
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint answered something that cannot be read.",
	},
	chainContradicts: {
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoints do not agree on what is mined.",
	},
	chainBehind: {
		status: 503,
		retry: "later",
		public: "The chain's RPC endpoint is behind what is known already.",
	},
});
