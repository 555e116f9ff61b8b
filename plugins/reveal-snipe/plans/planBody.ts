import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { defineFaults, type Fault } from "#core/fault.ts";
import { moneyFault, parseAmount } from "#core/money.ts";
import { DAY_MS } from "#core/time.ts";
import type { Standing } from "#plugins/reveal-snipe/plans/standings.ts";
import type { PlanTerms } from "#plugins/reveal-snipe/sql/plans.ts";

/** The consequence of a refused or failed buy for the plan. */
type Refusal = {
	/** No other listing would succeed now: the pass ends. */
	endsPass: boolean;
	/** The same listing may be tried once more, in a later pass. */
	mayTryAgain: boolean;
};

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

/** The lifetime of a plan that names no end; and the longest one. */
export const LIFETIME_DEFAULT_MS = 30 * DAY_MS;
export const LIFETIME_MAX_MS = 365 * DAY_MS;

/** The most plans of one profile that are armed or paused at once. */
export const OPEN_PLANS_MAX = 50;
export const ITEMS_MAX = 100;
export const RANK_MAX = 1_000_000;
/** The most traits of a plan, values of each, and characters of a text. */
export const TRAITS_MAX = 16;
export const TRAIT_VALUES_MAX = 32;
export const TRAIT_LENGTH_MAX = 128;

/** How long one process may evaluate a plan; a pass ends before that. */
export const EVALUATION_LOCK_MS = 120_000;
export const PASS_MS = 100_000;
/** The most intents of one pass: refused ones count against their owner's quota. */
export const PASS_ATTEMPTS_MAX = 40;
/** The most intents for one token of a plan, in all passes. */
export const TOKEN_ATTEMPTS_MAX = 8;

/** How long plans are evaluated after a reveal, and how often. */
export const EVALUATED_FOR_MS = 30 * 60_000;
export const EVALUATED_EVERY_MS = 15_000;
/** Sooner after a rate limit of the provider. */
export const LIMITED_AGAIN_MS = 5_000;

/** How often due plans are looked for. */
export const DUE_EVERY_MS = 2_000;
/** How often open plans are checked: wallet, profile and time. */
export const CHECK_EVERY_MS = 60_000;
/** Plans per statement where all of them are read. */
export const PAGE_OF_PLANS = 500;

/** The time limit for one intent, from planning to the wallet provider's answer. */
export const ADVANCE_TIMEOUT_MS = 60_000;
/** The most pending fills of one process. */
export const FILLS_AT_ONCE = 4;
/** The most fills of all processes per minute: each requests a listing and its fulfilment. */
export const FILLS_PER_MINUTE_DEFAULT = 30;
export const FILLS_PER_MINUTE_MAX = 600;

/** Plans on a page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

/** How often the collections that plans wait for are read. */
export const WATCHED_EVERY_MS = 5_000;
/** The most collections with plans whose order books are kept current permanently. */
export const BOOKS_KEPT_MAX = 20;

/** How long the book of a reveal is kept, and how many skipped listings a dry run names. */
export const BOOKS_KEPT_MS = 30 * DAY_MS;
export const DRY_RUN_SKIPPED_MAX = 200;
export const PRUNE_BOOKS_EVERY_MS = 3_600_000;

const traitText = z.string().trim().min(1).max(TRAIT_LENGTH_MAX);

/** The members of a plan's body. Amounts arrive as text, see `exactNumbers`. */
export const planFields = {
	collectionSlug: z
		.string()
		.min(1)
		.max(200)
		.meta({
			description: "The collection: its slug, a former one, or the contract's address.",
			examples: ["tidal-cats"],
		}),
	chain: z
		.string()
		.max(64)
		.optional()
		.meta({
			description: "By slug, other spelling or id. Optional where one chain has the collection.",
			examples: ["ethereum"],
		}),
	maxRank: z
		.int()
		.min(1)
		.max(RANK_MAX)
		.optional()
		.meta({ description: "Only tokens of this rarity rank or a better one.", examples: [200] }),
	traits: z
		.array(
			z
				.strictObject({
					type: traitText.meta({ description: "Name of the trait.", examples: ["Eyes"] }),
					values: z
						.array(traitText)
						.min(1)
						.max(TRAIT_VALUES_MAX)
						.meta({ description: "The token has one of these.", examples: [["Laser", "Gold"]] }),
				})
				.meta({
					id: "SnipeTraitWanted",
					description: "A trait, with values of which one is wanted.",
				}),
		)
		.max(TRAITS_MAX)
		.default([])
		.meta({ description: "Only tokens with all of these traits; capitals do not matter." }),
	amount: z
		.string()
		.max(160)
		.meta({
			description:
				"In the chain's own coin: plain decimal digits, as a string or as a JSON number, which is " +
				"read from its text.",
			examples: ["0.4"],
		}),
	maxItems: z
		.int()
		.min(1)
		.max(ITEMS_MAX)
		.meta({ description: "Tokens that it buys at most.", examples: [5] }),
	walletId: z
		.uuid()
		.optional()
		.meta({
			description: "Which of your wallets pays; the canonical one unless given.",
			examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
		}),
};

const { collectionSlug, chain, maxRank, traits, amount, maxItems, walletId } = planFields;

/** Members whose numbers must not become doubles. */
export const exactPlanMembers = ["maxPricePerItemNative", "budgetNative"] as const;

// Strict: ignoring a misspelled limit would remove that limit.
export const planBody = z
	.strictObject({
		collectionSlug,
		chain,
		trigger: z
			.literal("on_reveal")
			.default("on_reveal")
			.meta({ description: "When it buys: once the collection is revealed." }),
		maxRank,
		traits,
		maxPricePerItemNative: amount,
		budgetNative: amount,
		maxItems,
		walletId,
		expiresAt: z.iso
			.datetime({ offset: true })
			.optional()
			.meta({ description: "Until when it is armed; 30 days unless given, a year at most." }),
	})
	.meta({
		id: "SnipePlanRequest",
		description: "What to buy. `maxRank`, `traits` or both have to be there.",
	})
	.refine((body) => body.maxRank !== undefined || body.traits.length > 0, {
		path: ["maxRank"],
		message: "name a rank, or at least one trait",
	});

export type PlanBody = z.output<typeof planBody>;

const LATER: Refusal = { endsPass: true, mayTryAgain: true };

/**
 * A code that is missing here concerns the listing alone (sold, cancelled, too expensive, a forged
 * order): the next listing is tried at once, and this one never again.
 */
const refusals: Readonly<Record<string, Refusal>> = {
	rate_limited: LATER,
	provider_unavailable: LATER,
	provider_unreadable: LATER,
	provider_off: LATER,
	chain_unavailable: LATER,
	chain_unreadable: LATER,
	chain_behind: LATER,
	usd_rate_unavailable: LATER,
	daily_limit: LATER,
	gas_reserve: LATER,
	network_fee_limit: LATER,
	trading_disabled: LATER,
	kind_disabled: LATER,
	policy_denied: LATER,
	no_executable_wallet: LATER,
	wallet_provider_refused: LATER,
	hand_over_late: LATER,
	// It is proven that nothing was sent: the process died, or the provider lost it.
	not_sent: { endsPass: false, mayTryAgain: true },
	quote_expired: { endsPass: false, mayTryAgain: true },
	// A cheaper one may fit, and the wallet may be funded.
	balance_insufficient: { endsPass: false, mayTryAgain: true },
};

/** Returns the terms of a body: amounts and end. Throws Faults for invalid ones. */
export function termsOf(
	body: Omit<PlanBody, "trigger" | "collectionSlug" | "chain">,
	{ chain, nowMs }: { chain: Chain; nowMs: number },
): PlanTerms & { expiresAt: Date } {
	const maxPriceRaw = amountRaw(body.maxPricePerItemNative, chain);
	const budgetRaw = amountRaw(body.budgetNative, chain);
	if (budgetRaw < maxPriceRaw) {
		throw invalidPlan("budgetNative", "must not be below `maxPricePerItemNative`");
	}
	const { maxRank = null, traits, maxItems, expiresAt } = body;
	const endsAtMs = expiresAt === undefined ? nowMs + LIFETIME_DEFAULT_MS : Date.parse(expiresAt);
	if (!(endsAtMs > nowMs && endsAtMs <= nowMs + LIFETIME_MAX_MS)) {
		throw invalidPlan("expiresAt", "must be in the future, and within a year");
	}
	return { maxRank, traits, maxPriceRaw, budgetRaw, maxItems, expiresAt: new Date(endsAtMs) };
}

/** Returns the fault for a member of the body that has the right form but no meaning here. */
export function invalidPlan(path: string, message: string): Fault {
	return planFault.validationError({
		public: `The body is not valid (${path}): ${message}`,
		members: { issues: [{ path, message }] },
	});
}

/** Returns true if a pass ends with that code. */
export function endsPass(errorCode: string | null): boolean {
	return errorCode !== null && (refusals[errorCode]?.endsPass ?? false);
}

/** Returns true if the same listing may be tried again. An expired intent was never sent. */
export function mayTryAgain(errorCode: string | null, status: Standing["status"]): boolean {
	if (status === "expired") return true;
	return errorCode !== null && (refusals[errorCode]?.mayTryAgain ?? false);
}

/** Returns true if the provider had no capacity: the plan is evaluated again soon. */
export function isLimited(errorCode: string | null): boolean {
	return errorCode === "rate_limited" || errorCode === "provider_unavailable";
}

function amountRaw(text: string, { nativeCurrency }: Chain): bigint {
	const { units } = parseAmount(text, nativeCurrency);
	if (units > 0n) return units;
	throw moneyFault.amountInvalid({ public: "The amount must be more than zero." });
}
