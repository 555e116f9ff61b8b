import { defineFaults } from "#core/fault/defineFaults.ts";

export const controlFault = defineFaults({
	settingUnknown: { status: 422, retry: "never", public: "There is no such setting." },
	settingInvalid: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "The setting does not take that value.",
	},
});
