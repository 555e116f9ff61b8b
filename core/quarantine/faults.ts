import { defineFaults } from "#core/fault/defineFaults.ts";

export const quarantineFault = defineFaults({
	rowUnreadable: {
		status: 503,
		retry: "later",
		public: "A record of this cannot be read now. It is kept, and the operators are told.",
	},
});
