import { defineFaults, defineReasons, type Fault } from "#core/fault.ts";

export const buyFault = defineFaults({
	marketplaceAbsent: {
		code: "chain_unavailable",
		status: 503,
		retry: "later",
		public: "The marketplace's contract does not answer on that chain.",
	},
	currencyUnreadable: {
		status: 503,
		retry: "never",
		public: "The currency of the listing does not answer as an ERC-20.",
	},
	chainRequired: {
		status: 422,
		retry: "never",
		public: "Name the chain.",
		advice: "Send the same request with `chain`.",
	},
	ownershipUnknown: {
		status: 503,
		retry: "later",
		public: "The node keeps no state of the receipt's block, and its logs do not tell who owns.",
	},
	collectionNotFound: {
		code: "not_found",
		status: 404,
		retry: "never",
		public: "There is no such collection in the index.",
		advice: "Look the name up with `/v1/nft-market/search`, or name the contract.",
	},
	notFound: {
		status: 404,
		retry: "never",
		public: "You have no such intent.",
		advice: "List your intents with `/v1/nft-market/intents`.",
	},
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
});

/** Lists the reasons of refused buys; reasons that every intent can have are in `wallets`. */
defineReasons({
	currency_unreadable: [
		"The listing's currency does not answer as an ERC-20 token.",
		"Choose another listing.",
	],
	fulfilment_function: [
		"The provider's call is of a function that is not used here.",
		"Choose another listing.",
	],
	fulfilment_mismatch: [
		"The provider's call is not for what was asked.",
		"Ask for it again in some minutes.",
	],
	fulfilment_unreadable: [
		"The provider's call cannot be read.",
		"Ask for it again in some minutes.",
	],
	liquidity_insufficient: [
		"Fewer units are for sale than are wanted.",
		"Ask for a smaller number of units.",
	],
	listing_gone: ["The listing is no longer for sale.", "Choose another listing."],
	listing_mismatch: [
		"The provider answered another listing than the one that was asked for.",
		"Ask for it again in some minutes.",
	],
	listing_not_found: [
		"What was asked for is not for sale.",
		"Read the listings of the collection, and choose another one.",
	],
	listing_own: ["The listing is the wallet's own.", "Choose another listing."],
	listing_private: ["The listing is for somebody else.", "Choose another listing."],
	listing_unsupported: [
		"The listing has no single fixed price in one currency.",
		"Choose another listing.",
	],
	price_limit_exceeded: [
		"The listing costs more than the price limit.",
		"Raise `maxPriceNative`, or choose another listing.",
	],
	provider_offer_requires_local_order_builder: [
		"The marketplace takes no offers from here.",
		"Buy a listing, or make the offer at the marketplace itself.",
	],
	zone_unknown: [
		"A zone that nobody here knows has to agree to the sale.",
		"Choose another listing.",
	],
});

/** Returns the fault for a member of the body that has the right form but no meaning here. */
export function invalidBody(path: string, message: string): Fault {
	return buyFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}
