import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Denial, Plan } from "#plugins/wallets/contract.ts";

/** What a kind answers when it is asked what would be sent. */
export type Preparation =
	| {
			kind: "plan";
			plan: Plan;
			question?: Question;
			/** An operator has to say yes first, for this reason. */
			review?: Denial;
			/**
			 * Writes what the plan was made of, in the transaction that stores the plan: to prepare
			 * changes nothing, and nothing is sent or asked whose making is not on record. May run twice,
			 * and only asks the database.
			 */
			keep?(tx: Tx): Promise<void>;
	  }
	| { kind: "denied"; denial: Denial }
	/**
	 * Another intent of the same wallet has to be confirmed before this one can be planned. It is
	 * recorded, and this one waits for it. Its owner is asked once, on the first step's plan, whose
	 * `shown` says what all steps do: so a kind denies whatever is beyond the bounds of its request.
	 */
	| {
			kind: "first";
			intent: Step;
			/** What this one will spend: limits refuse it before its first step is sent. */
			spend: Plan["spend"];
			/** What its message will cost, as `Plan.feeRaw`. */
			feeRaw?: bigint;
			/** What an operator has to say yes to before that step. */
			review?: { plan: Plan; reason: Denial };
			/** As with a plan, in the transaction that records the step. */
			keep?(tx: Tx): Promise<void>;
	  }
	/** What it is for is so already. */
	| { kind: "done" };

/** A step as its kind knows it: profile, wallet, chain and channel are those of what it is for. */
export type Step = { kind: string; request: unknown };

/**
 * What a kind wants to know of the chain only to tell it to a person. It is asked in the request by
 * which the plan is simulated: one less.
 */
export type Question = {
	call: RpcCall;
	/** What `shown` is by the answer, null where the node refused one; or why nothing is sent. */
	shownBy(
		answer: unknown,
	): { kind: "shown"; shown: Plan["shown"] } | { kind: "denied"; denial: Denial };
};
