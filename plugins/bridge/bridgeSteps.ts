/**
 * Every commit and every outbound call by which a bridge gets further, beside those of the intents
 * that its steps are. A test ends processes before and after each.
 */
export const bridgeSteps = [
	/** The provider is asked for a quote. */
	"bridge.quote",
	/** A checked quote is stored, with its steps. */
	"bridge.store",
	/** The deposit's intent is recorded. */
	"bridge.begin",
	/** It is refused, or called off. */
	"bridge.close",
	/** It is written down where the deposit's intent stands. */
	"bridge.sync",
	/** The provider is asked what became of it. */
	"bridge.status",
	/** What was found of its money is written down. */
	"bridge.look",
] as const;

/** Those of a bridge whose owner signs in place of depositing. */
export const handOverSteps = [
	/** It is recorded that a signature goes to the provider now. */
	"bridge.hand_over",
	/** The provider gets it. */
	"bridge.permit",
	/** Its answer is written down. */
	"bridge.handed",
] as const;

export type BridgeStepName = (typeof bridgeSteps)[number] | (typeof handOverSteps)[number];

/** Outbound calls of the kind that deposits. */
export const depositSteps = ["bridge.quote", "bridge.allowance"] as const;

/** Outbound calls of the kind that signs in place of a deposit. */
export const authorizeSteps = ["bridge.quote", "bridge.token"] as const;
