// Declares how a kind of intent thinks: what a plugin implements to move money in its own way.

import type { z } from "zod";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Denial, Figure } from "#plugins/wallets/intent/intentError.ts";
import type {
	Intent,
	Plan,
	Profile,
	Receipt,
	SpendSituation,
	Wallet,
} from "#plugins/wallets/model.ts";
import type { Repeats } from "#plugins/wallets/submission/strays.ts";

/** Plans and settles one kind of intent. Registered in `setup`; it keeps no state of its own. */
export type IntentKind<Request> = {
	name: string;
	/** The plugin whose kill switch holds it back. */
	plugin: string;
	/** Parses the request of an intent, which is stored as JSON. */
	request: z.ZodType<Request>;
	/**
	 * Reads what it needs and says what would be sent. May be called again (a confirmation, a crash):
	 * it changes nothing anywhere. Each outbound call goes through `outbound`, under a name that is
	 * in the kind's `steps`.
	 */
	prepare(
		intent: Intent<Request>,
		context: { wallet: Wallet; profile: Profile; outbound: Outbound; signal: AbortSignal },
	): Promise<Preparation>;
	/** Names of its outbound calls, for the tests that kill between them. */
	steps: readonly string[];
	/**
	 * Returns whether a newly made plan is still what the owner approved. If left out, only an
	 * identical plan is.
	 */
	keeps?(approved: Plan, fresh: Plan): boolean;
	/**
	 * True: the owner's wallet may sign only until the plan expires. Left out: as long as the link is
	 * valid, because the chain itself refuses a late transaction.
	 */
	endsWithPlan?: boolean;
	/**
	 * Says how a payment of this kind is recognised among the wallet's other transactions. Left out:
	 * `alike`.
	 */
	repeats?: Repeats;
	/** Pure. Null: it may be sent. */
	deny(situation: SpendSituation): Denial | null;
	/**
	 * Checks, after a successful receipt, that what was bought has arrived, by balance and ownership.
	 * A code makes the intent `failed` with it, although the money is spent. `spentRaw`: it arrived,
	 * and cost this much of the reservation; the rest is released.
	 */
	settle(
		intent: Intent<Request>,
		receipt: Receipt,
		context: { wallet: Wallet; outbound: Outbound; signal: AbortSignal },
	): Promise<Settlement>;
};

/** Holds a kind's answer to the question what to send next. */
export type Preparation =
	| {
			kind: "plan";
			plan: Plan;
			question?: Question;
			/** An operator has to say yes first, for this reason. */
			review?: Denial;
			/**
			 * Microdollars of what is spent, where its kind knows: limits count this where it is more
			 * than what feeds say, or where these say nothing.
			 */
			worthUsdMicros?: bigint;
			/** True: the owner has to approve by a link, whatever their profile's settings are. */
			asks?: boolean;
			/** Holds the least amount that must arrive, for the message if the simulation fails. */
			least?: Figure;
			/**
			 * Writes what the plan was made of, in the transaction that stores the plan: to prepare
			 * changes nothing, and nothing is sent or asked whose making is not on record. May run twice,
			 * and only asks the database.
			 */
			keep?(tx: Tx): Promise<void>;
	  }
	| { kind: "denied"; denial: Denial }
	/**
	 * Asks for another intent of the same wallet to be confirmed first. It is recorded, and this one
	 * waits for it. The owner approves once, on the first step's plan, whose `shown` describes all
	 * steps: so a kind denies whatever exceeds the bounds of its request.
	 */
	| {
			kind: "first";
			intent: Step;
			/** The amount that this intent will spend: limits refuse it before its first step is sent. */
			spend: Plan["spend"];
			/** The fee for this intent's message, as in `Plan.feeRaw`. */
			feeRaw?: bigint;
			/** The plan that an operator has to approve before that step, and the reason. */
			review?: { plan: Plan; reason: Denial };
			/** As with a plan, in the transaction that records the step. */
			keep?(tx: Tx): Promise<void>;
	  }
	/** The goal of the intent is already reached: nothing is to be sent. */
	| { kind: "done" };

/** A step as its kind knows it: profile, wallet, chain and channel are those of what it is for. */
export type Step = { kind: string; request: unknown };

/**
 * Holds calls whose answers are only shown to the owner. They are sent in the same request as the
 * simulation of the plan, which saves a request.
 */
export type Question = {
	call: RpcCall;
	/**
	 * Returns what the owner is shown for the answers (null where the node refused one), or why
	 * nothing is sent. `isLast`: a denial by the plan's own simulation comes before this one.
	 */
	shownBy(
		answer: unknown,
	): { kind: "shown"; shown: Plan["shown"] } | { kind: "denied"; denial: Denial; isLast?: boolean };
};

/** Says why what was paid for did not arrive; `isDoubtful`: it is not known whether it did. */
export type Missing = Denial & { isDoubtful?: boolean };

/**
 * Holds the result of a successful receipt; null: it arrived, and cost all that was reserved.
 * `isDoubtful`: the receipt and the balances of its block contradict each other, so the intent
 * becomes `uncertain`, its spend stays reserved, and operators are alerted.
 */
export type Settlement = (Missing & { spentRaw?: bigint }) | { spentRaw: bigint } | null;

export type Outbound = <Result>(step: string, call: () => Promise<Result>) => Promise<Result>;
