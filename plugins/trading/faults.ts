// Lists the faults of trades, and of requests to the registry.

import { defineFaults, defineReasons, type Fault } from "#core/fault.ts";

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

/** Lists the reasons of refused trades; reasons that every intent can have are in `wallets`. */
defineReasons({
	amount_invalid: [
		"The amount cannot be traded: it is zero, too small, or not in a form that is known.",
		"Ask for another amount; the forms are at `/problems/command_invalid`.",
	],
	asset_delisted: [
		"The token left the issuer's list.",
		"Sell what you hold of it; it cannot be bought here.",
	],
	asset_not_registered: [
		"The token is not in the registry.",
		"List what is traded with `/v1/stock-tokens`, and name it by its address.",
	],
	asset_not_verified: [
		"The token did not pass its check on chain.",
		"Trade another token, or ask an operator.",
	],
	calldata_mismatch: [
		"What a source would send is not what was planned.",
		"Ask for it again in some minutes.",
	],
	liquidity_insufficient: ["The pools take too little of it.", "Ask for a smaller amount."],
	multiplier_changed: [
		"How many shares a token stands for changed, or cannot be read.",
		"Read the token again, then ask for it anew.",
	],
	multiplier_unknown: [
		"How many shares a token stands for cannot be read now.",
		"Ask for it again in some minutes.",
	],
	no_route: [
		"No pool that is configured here leads from one to the other.",
		"Trade for another currency.",
	],
	not_eligible: [
		"The issuer does not let you trade it where you live.",
		"Read `error`: it says what is missing. An operator records where a profile lives.",
	],
	pair_unsupported: [
		"The two are not traded for each other here.",
		"Trade for a currency that `error` does not refuse.",
	],
	price_deviation: [
		"The price is too far from the price of the market.",
		"Ask again later, or for less.",
	],
	price_impact: ["The trade would move the price too far.", "Ask for a smaller amount."],
	price_moved: [
		"The price moved beyond what the trade was asked for.",
		"Ask for it again at the price of now.",
	],
	quote_unavailable: ["No source has a way for it now.", "Ask for it again in some minutes."],
	settlement_unsupported: [
		"Nothing is settled in that currency here.",
		"Name a currency that trades are settled in: `eth`, `weth` or `usdg`.",
	],
	source_timeout: [
		"A source of prices did not answer in time.",
		"Ask for it again in some minutes.",
	],
	symbol_ambiguous: ["The symbol may mean several tokens.", "Name the token by its address."],
	token_unsafe: ["The token moves other amounts than it says.", "Do not trade this token."],
	venue_divergence: [
		"The sources of prices are too far apart.",
		"Ask for it again in some minutes.",
	],
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
