import { defineFaults } from "#core/fault/defineFaults.ts";

export const pluginFault = defineFaults({
	pluginsInvalid: {
		status: 500,
		retry: "never",
		public: "The plugins do not fit together.",
	},
	pluginStartFailed: {
		status: 500,
		retry: "never",
		public: "A plugin did not start.",
	},
	pluginStartDelayed: {
		status: 503,
		retry: "later",
		public: "A plugin did not start, and may at the next attempt.",
	},
	pluginTooSlow: {
		status: 503,
		retry: "later",
		public: "A plugin took too long.",
	},
});
