import { defineFaults, type Fault } from "#core/fault.ts";

/** Names what can be wrong with a request about the token's economics. */
export const tokenomicsFault = defineFaults({
	manifestVersion: {
		status: 409,
		retry: "never",
		public: "The manifest has another version by now.",
		advice: "Read the manifest again, and send its `version` with your change.",
	},
	contractWithoutCode: {
		status: 409,
		retry: "later",
		public: "There is no contract at that address.",
		advice: "Look at the address and the chain; a contract that was just deployed needs a block.",
	},
	contractInterface: {
		status: 409,
		retry: "never",
		public: "The contract does not answer as what it is named as.",
		advice: "Look whether token, router and burner are named in each other's place.",
	},
	contractOwner: {
		status: 409,
		retry: "never",
		public: "The contract has another owner than the manifest says.",
		advice: "Send the owner that you expect router and burner to have.",
	},
	burnerToken: {
		status: 409,
		retry: "never",
		public: "The burner burns another token than the manifest's.",
		advice: "Name the burner that was deployed for this token.",
	},
	chainNotReached: {
		status: 422,
		retry: "never",
		public: "This deployment does not reach that chain.",
		advice: "Name a chain of CHAINS, of CHAIN_RPC_URLS_JSON, or the home chain.",
	},
	buybackImpossible: {
		status: 500,
		retry: "never",
		public: "The limits of buybacks leave no room for one.",
		advice: "Set BUYBACK_RUN_USD_MIN to no more than BUYBACK_RUN_USD_MAX and BUYBACK_DAY_USD_MAX.",
	},
	contractNamedTwice: {
		status: 500,
		retry: "never",
		public: "Two variables name one contract.",
		advice:
			"Name another contract in each of TOKEN_ADDRESS, REVENUE_ROUTER_ADDRESS, BUYBACK_BURN_ADDRESS.",
	},
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
});

/** Returns the Fault of a member that has the right form and yet means nothing here. */
export function invalidTokenomics(path: string, message: string): Fault {
	return tokenomicsFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}
