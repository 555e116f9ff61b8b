import { defineFaults, type Fault } from "#core/fault.ts";

export const marketFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "There is no such collection in the index.",
		advice: "Find the slug or the address with `/v1/nft-market/search`, and name its `chain`.",
	},
	chainRequired: {
		status: 422,
		retry: "never",
		public: "Several chains have a collection of that name: name the chain.",
		advice: "Send the same request with `chain`.",
	},
	discoveryChainUnknown: {
		status: 500,
		retry: "never",
		public: "NFT_DISCOVERY_CHAINS names a chain that is not defined.",
	},
	documentUnreachable: {
		status: 502,
		retry: "later",
		public: "Nobody serves what the contract points to.",
	},
	traitUnknown: {
		status: 404,
		retry: "never",
		public: "The collection has no such trait.",
		advice: "List its traits with `/v1/nft-market/collections/{slug}/traits`.",
	},
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
});

/**
 * Returns the Fault for a chain that is not served, wherever a request names it: path, query or
 * body.
 */
export function invalidChain(message: string): Fault {
	return marketFault.validationError({
		public: `The chain is not valid: ${message}`,
		members: { issues: [{ path: "chain", message }] },
	});
}
