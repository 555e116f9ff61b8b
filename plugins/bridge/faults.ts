import { defineFaults, defineReasons, type Fault } from "#core/fault.ts";

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

/** Advises the owner of money that is on its way, or whose end is not known. */
const LOOKED_UP =
	"Do not send it again: `where` says where the money is, and it is looked up until that is known.";

/** Lists the reasons of refused bridges; reasons that every intent can have are in `wallets`. */
defineReasons({
	amount_invalid: ["The amount cannot be bridged.", "Ask for another amount, above zero."],
	arrival_lost: ["What had arrived is not on the chain any more.", LOOKED_UP],
	arrival_unproven: [
		"A node of the destination does not show what the provider's own node showed.",
		LOOKED_UP,
	],
	authorization_expired: [
		"The signature ended before the provider used it.",
		"Look where the money is in `where`, then make a new bridge.",
	],
	bridge_disabled: ["An operator stopped this bridge.", "Ask an operator when it goes on."],
	bridge_missing: ["The bridge of this step is not there.", "Ask for a new bridge."],
	bridging_disabled: ["Bridging is turned off here.", "Ask an operator of the deployment."],
	chain_denied: [
		"Bridging over that chain is turned off here.",
		"Take a chain of `/v1/bridges/chains`.",
	],
	chain_not_evm: ["That chain is no EVM chain.", "Take a chain of `/v1/bridges/chains`."],
	chain_unknown: [
		"The bridge provider has no such chain.",
		"Take a chain of `/v1/bridges/chains`.",
	],
	claim_unproven: ["The provider says that it is done, and no chain shows it.", LOOKED_UP],
	closed_by_operator: ["An operator closed it.", "Ask the operator; they can look for it again."],
	contract_changed: [
		"A contract of the bridge is not the one that is trusted.",
		"Wait: an operator has to look at it.",
	],
	currency_unknown: [
		"The bridge does not know that currency on that chain, or not as it says.",
		"Name the token by its address on the origin chain.",
	],
	deposit_lost: ["The deposit left the chain with its block.", LOOKED_UP],
	deposit_missing: ["The wallet paid, and the deposit is not in the transaction.", LOOKED_UP],
	dry_run: [
		"Bridges are only tried here, and nothing is sent (BRIDGE_DRY_RUN).",
		"Ask an operator of the deployment.",
	],
	expired: ["It was not answered in time, and nothing was sent.", "Ask for a new bridge."],
	failed: ["Its step failed; `steps` says why.", "Read the step, then make a new bridge."],
	fill_short: ["Less arrived than was promised, or it cannot be bound to this bridge.", LOOKED_UP],
	hand_over_doubtful: ["Nobody can say whether the provider took the signature.", LOOKED_UP],
	hand_over_refused: ["The provider refused the signature.", LOOKED_UP],
	mode_unsupported: [
		"That way of bridging does not lead there.",
		"Leave `mode` out, or take another one.",
	],
	peer_unverified: [
		"The contract at the other end could not be verified.",
		"Ask for it again in some minutes.",
	],
	price_impact_too_high: [
		"The bridge would take too much of its worth.",
		"Ask for another amount, or later.",
	],
	quote_mismatch: [
		"The bridge's quote is not for what was asked.",
		"Ask for it again in some minutes.",
	],
	quote_missing: ["The bridge has no quote.", "Ask for a new bridge."],
	recipient_invalid: ["Nobody could take out what would arrive there.", "Name another recipient."],
	refund_elsewhere: ["What was paid back went to another address.", LOOKED_UP],
	refund_short: [
		"Less was paid back than was paid in, or it cannot be bound to this bridge.",
		LOOKED_UP,
	],
	rejected: ["Its step was refused; `steps` says why.", "Read the step, then make a new bridge."],
	same_chain: ["Both ends are on one chain.", "Trade it with `/v1/trading/intents`."],
	signature_steps_unsupported: [
		"The provider asks for a signature of no known kind.",
		"Take another currency or chain.",
	],
	slippage_too_high: [
		"The quote lets too much be lost on the way.",
		"Ask for another amount, or later.",
	],
	step_unknown: ["The provider asks for a step that nobody here knows.", LOOKED_UP],
	submission_unknown: ["Nobody can say whether it was sent.", LOOKED_UP],
	symbol_ambiguous: [
		"The symbol may mean several currencies.",
		"Name the currency by its address.",
	],
	wallet_changed: ["The bridge was quoted for another wallet.", "Ask for a new bridge."],
});

/** Returns the Fault of a member that has the right form and yet means nothing here. */
export function invalidBridge(path: string, message: string): Fault {
	return bridgeFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}
