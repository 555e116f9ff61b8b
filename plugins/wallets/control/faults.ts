import { defineFaults } from "#core/fault/defineFaults.ts";

export const controlFault = defineFaults({
	settingUnknown: {
		status: 422,
		retry: "never",
		public: "There is no such setting.",
		advice: "Use a key that `known` of the settings list names.",
	},
	settingInvalid: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "The setting does not take that value.",
		advice: "Send a value of the form that `valueSchema` of the settings list gives.",
	},
});
