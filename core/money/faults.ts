import { defineFaults } from "#core/fault/defineFaults.ts";

export const moneyFault = defineFaults({
	amountInvalid: {
		status: 422,
		retry: "never",
		public: "The amount is not a decimal number that its currency can hold.",
		advice: "Send plain decimal digits, with no more decimal places than the currency has.",
	},
});
