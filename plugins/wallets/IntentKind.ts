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

/** How a kind of intent thinks. Registered in `setup`; it owns no state. */
export type IntentKind<Request> = {
	name: string;
	/** The plugin whose kill switch holds it back. */
	plugin: string;
	/** What is stored of a request, as JSON. */
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
	 * Whether a plan made anew is still what its owner said yes to. Left out: only the same bytes.
	 */
	keeps?(approved: Plan, fresh: Plan): boolean;
	/**
	 * True: what an owner's own wallet signs is asked for until the plan expires. Left out: as long
	 * as a link stands, because the chain itself refuses what comes late.
	 */
	endsWithPlan?: boolean;
	/** How a payment of it is known again among what its wallet sent. Left out: `alike`. */
	repeats?: Repeats;
	/** Pure. Null: it may be sent. */
	deny(situation: SpendSituation): Denial | null;
	/**
	 * After a receipt of success: whether what was bought is there. Balance and ownership, not hope.
	 * A code makes the intent `failed` with it: the money is spent all the same. `spentRaw`: it is
	 * there, and cost so much of what was reserved; the rest is given back.
	 */
	settle(
		intent: Intent<Request>,
		receipt: Receipt,
		context: { wallet: Wallet; outbound: Outbound; signal: AbortSignal },
	): Promise<Settlement>;
};

/** What a kind answers when it is asked what would be sent. */
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
			/** Its owner has to say yes by a link, whatever their profile says. */
			asks?: boolean;
			/** What it has to bring at least, for the words where it fails when it is tried. */
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
	/**
	 * What `shown` is by the answer, null where the node refused one; or why nothing is sent.
	 * `isLast`: whatever the simulation of the plan itself denies says more.
	 */
	shownBy(
		answer: unknown,
	): { kind: "shown"; shown: Plan["shown"] } | { kind: "denied"; denial: Denial; isLast?: boolean };
};

/** Why what was paid for is not there, or why nobody can say whether it is. */
export type Missing = Denial & { isDoubtful?: boolean };

/**
 * What a receipt of success came to: null, all that was reserved paid for what is there.
 * `isDoubtful`: what the receipt says and what the balances of its block show differ, so nobody
 * knows: the intent is `uncertain`, its spend stays reserved, and operators are told.
 */
export type Settlement = (Missing & { spentRaw?: bigint }) | { spentRaw: bigint } | null;

export type Outbound = <Result>(step: string, call: () => Promise<Result>) => Promise<Result>;
