// Lists the faults of trades, and of requests to the registry.

import { defineFaults, type Fault } from "#core/fault.ts";

export const tradeFault = defineFaults({
	routerUnavailable: {
		status: 503,
		retry: "later",
		public: "The hosted router did not answer.",
	},
	routerRefused: {
		status: 503,
		retry: "never",
		public: "The hosted router has no route for that.",
	},
	routerUnreadable: {
		status: 503,
		retry: "later",
		public: "The hosted router's answer cannot be read, or contradicts what was asked.",
	},
	routerBusy: {
		status: 503,
		retry: "later",
		public: "The hosted router may not be asked more often now.",
	},
	noRoute: {
		status: 409,
		retry: "later",
		public: "No pool that is configured here leads from one to the other.",
	},
	amountInvalid: {
		status: 409,
		retry: "never",
		public: "It is too little to trade: nothing would come out of the pools for it.",
		advice: "Trade more of it: pools round down, and give nothing for so little.",
	},
	liquidityInsufficient: {
		status: 409,
		retry: "later",
		public: "The pools that lead there do not take all of it.",
	},
	chainUnavailable: {
		status: 503,
		retry: "later",
		public: "Chain 4663 is not served here.",
	},
	tokenUnreadable: {
		status: 503,
		retry: "later",
		public: "A token's contract does not answer as an ERC-20.",
	},
	commandInvalid: {
		status: 422,
		retry: "never",
		public: "That is not a command to trade.",
		advice:
			"Send the form of `nearest`, or another: `buy <asset> with <amount> <eth|weth|usdg>`, " +
			"`buy $<amount> of <asset>`, `buy <quantity> [shares] <asset>`, " +
			"`sell <percent|half|all|quantity|quantity shares> <asset> [to <settlement>]`, " +
			"`swap <quantity> <asset> to <asset>` or `hold <asset>`.",
	},
	amountRequired: {
		status: 422,
		retry: "never",
		public: "How much is to be sold?",
		advice:
			"Say it: `sell all <asset>`, `sell half <asset>`, `sell 25% <asset>`, `sell 2 <asset>`.",
	},
	planChanged: {
		status: 409,
		retry: "never",
		public: "What would be sent is not what was shown. Look at it again.",
		advice: "Read the trade again, and say yes to the plan that it shows now.",
	},
	notFound: {
		status: 404,
		retry: "never",
		public: "You have no such trade.",
		advice: "List your trades with `/v1/trading/intents`.",
	},
	tradeState: {
		status: 409,
		retry: "never",
		public: "The trade is not in a state in which that is possible.",
		advice: "Read the trade: its status says what can be done.",
	},
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
});

/** Returns the fault for a member of the body that has the right form but no meaning here. */
export function invalidTrade(path: string, message: string): Fault {
	return tradeFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}

/** Faults of requests to the registry. */
export const registryFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "The registry has no such token.",
		advice:
			"List its tokens with `/v1/stock-tokens`, as an operator with `/v1/admin/stock-tokens`.",
	},
	profileNotFound: {
		code: "not_found",
		status: 404,
		retry: "never",
		public: "Nothing is recorded of that profile.",
		advice: "Record where they live with `PUT` at the same address.",
	},
	assetNotListed: {
		status: 409,
		retry: "never",
		public: "The issuer's list does not have this token: it cannot be approved.",
		advice: "Refuse it, or wait until the issuer lists it again.",
	},
	assetFlawed: {
		status: 409,
		retry: "later",
		public: "The last check on chain found something wrong with this token.",
		advice: "Read `flaws` of the token; a check that finds none makes it approvable.",
	},
	assetState: {
		status: 409,
		retry: "never",
		public: "There is nothing to decide about this token.",
		advice: "Only a token that left the list, or was rejected, can be approved.",
	},
	symbolTaken: {
		status: 409,
		retry: "never",
		public: "Another token that may be traded has this ticker, or one that looks like it.",
		advice: "Refuse the other token first.",
	},
	feedUnreadable: {
		status: 409,
		retry: "later",
		public: "There is no price feed at this address, or its newest answer cannot be a price.",
		advice: "Name an aggregator with Chainlink's interface on the chain of the token.",
	},
	chainUnavailable: {
		status: 503,
		retry: "later",
		public: "The chain of the stock tokens is not served here, or does not answer.",
	},
});
