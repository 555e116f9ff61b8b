import { defineFaults } from "#core/fault/defineFaults.ts";

export const cliFault = defineFaults({
	worldFailed: {
		status: 500,
		retry: "later",
		public: "The sandbox chain did not come up; its own words stand above.",
	},
	usage: { status: 500, retry: "never", public: "That is not a command." },
});
