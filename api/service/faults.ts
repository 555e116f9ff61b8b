import { defineFaults } from "#core/fault/defineFaults.ts";

export const serviceFault = defineFaults({
	chainsMissing: {
		status: 500,
		retry: "never",
		public:
			"CHAINS is not set: name the chains to index, for example CHAINS=base,ethereum. " +
			"`bun run up` runs a sandbox chain instead.",
	},
	chainUnknown: {
		status: 500,
		retry: "never",
		public: "CHAINS names a chain that has no definition.",
	},
	rpcMissing: {
		status: 500,
		retry: "never",
		public: "A chain has no http(s) RPC endpoint.",
	},
	pluginModule: {
		status: 500,
		retry: "never",
		public: "A module of PLUGINS is not a plugin.",
	},
});
