import { defineFaults, type Fault } from "#core/fault.ts";

/** Reasons why a request about bridges is refused. */
export const bridgeFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "You have no such bridge.",
		advice: "List your bridges with `/v1/bridges/intents`.",
	},
	requoteAfterSubmission: {
		status: 409,
		retry: "never",
		public: "A step of this bridge was recorded to be sent; its quote stays as it is.",
		advice: "Wait for its end, or make a new bridge.",
	},
	bridgeState: {
		status: 409,
		retry: "never",
		public: "The bridge is not in a state in which that is possible.",
		advice: "Read the bridge: what has ended, or was deposited, stays as it is.",
	},
	bridgesTooMany: {
		status: 409,
		retry: "later",
		public: "A profile has at most 50 bridges that are not at their end.",
		advice: "Wait until some of them have arrived.",
	},
	stepResultForeign: {
		status: 409,
		retry: "never",
		public: "That transaction is none of this bridge's.",
		advice: "Name a hash that the bridge's own steps have.",
	},
	stepResultUnseen: {
		status: 409,
		retry: "later",
		public: "No node of the origin chain shows that transaction yet.",
		advice: "Send the same hash again in a moment.",
	},
	quoteMissing: {
		status: 409,
		retry: "never",
		public: "The bridge has no quote.",
		advice: "Read its `errorCode`: it was refused before it was quoted.",
	},
	chainUnknown: {
		status: 422,
		retry: "never",
		public: "The bridge provider has no such chain.",
		advice: "Take an id of `/v1/bridges/chains`.",
	},
	chainUnreadable: {
		code: "chain_unavailable",
		status: 503,
		retry: "later",
		public: "No node of that chain answers.",
	},
	arrivalChanged: {
		status: 409,
		retry: "never",
		public: "What was found of the bridge is not what the request names.",
		advice: "Read the bridge's `arrived`, and accept what it says now.",
	},
	contractCode: {
		code: "contract_code_changed",
		status: 409,
		retry: "never",
		public: "The contract has another code than the request names.",
		advice: "Look at the code of `codeHash`, and name that hash to trust it.",
	},
	contractMissing: {
		status: 409,
		retry: "never",
		public: "There is no contract at that address.",
		advice: "Name the contract that the provider publishes for the chain.",
	},
	/** The arguments of `bun run svc`: the answer shows how the command is called. */
	command: {
		code: "bridge_command",
		status: 422,
		retry: "never",
		public: "The command is not of its form.",
	},
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
});

/** Returns the Fault of a member that has the right form and yet means nothing here. */
export function invalidBridge(path: string, message: string): Fault {
	return bridgeFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}
