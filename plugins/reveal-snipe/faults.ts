import { defineFaults, type Fault } from "#core/fault.ts";

export const planFault = defineFaults({
	confirmationRequiredIncompatible: {
		status: 409,
		retry: "never",
		public: "A plan buys by itself, and this profile confirms every trade.",
		advice: "Turn `requireTradeConfirmation` off in `/v1/trading/profile`, or buy by hand.",
	},
	delegatedExecutionWalletRequired: {
		status: 409,
		retry: "never",
		public: "A plan buys by itself, and needs a wallet that the service may send from.",
		advice: "Name a wallet of yours whose capability is `embedded/delegated`.",
	},
	snipesDisabled: {
		status: 409,
		retry: "never",
		public: "Plans are turned off on this service (NFT_SNIPE_ENABLED).",
		advice: "Plans can be read, paused and cancelled; an operator turns them on again.",
	},
	planState: {
		status: 409,
		retry: "never",
		public: "The plan is not in a state in which that is possible.",
		advice: "Read the plan: ended ones stay as they are, and only paused ones are resumed.",
	},
	plansTooMany: {
		status: 409,
		retry: "never",
		public: "A profile has at most 50 plans that are armed or paused.",
		advice: "Cancel one that is not needed any more.",
	},
	revealsFull: {
		status: 409,
		retry: "never",
		public: "As many collections of this chain are waited for as can be watched.",
		advice: "Arm a plan for one of those in `/v1/nft-market/reveals`, or try again another day.",
	},
	revealUnknown: {
		status: 409,
		retry: "never",
		public: "No reveal of this collection was recorded in the last 30 days.",
		advice: "Only reveals of collections that somebody waited for are recorded; see `/reveals`.",
	},
	notFound: {
		status: 404,
		retry: "never",
		public: "You have no such plan.",
		advice: "List your plans with `/v1/nft-market/snipes`.",
	},
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
});

/** Returns the fault for a member of the body that has the right form but no meaning here. */
export function invalidPlan(path: string, message: string): Fault {
	return planFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}
