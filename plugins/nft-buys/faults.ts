import { defineFaults, type Fault } from "#core/fault.ts";

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

/** Returns the fault for a member of the body that has the right form but no meaning here. */
export function invalidBody(path: string, message: string): Fault {
	return buyFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}
