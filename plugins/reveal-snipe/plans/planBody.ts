// Reads the body of a plan: its form, and the terms that follow from it.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { readMember } from "#core/http/faults.ts";
import { moneyFault, parseAmount } from "#core/money.ts";
import { invalidPlan } from "#plugins/reveal-snipe/faults.ts";
import {
	ITEMS_MAX,
	LIFETIME_DEFAULT_MS,
	LIFETIME_MAX_MS,
	PRIORITY_FEE_MAX,
	RANK_MAX,
	TRAIT_LENGTH_MAX,
	TRAIT_VALUES_MAX,
	TRAITS_MAX,
} from "#plugins/reveal-snipe/limits.ts";
import { PLAN_ORDERS, type PlanTerms } from "#plugins/reveal-snipe/sql/plans.ts";

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
				"In the chain's own coin: plain decimal digits as text, without an exponent. (A JSON number " +
				"is read from its text too.)",
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
		order: z
			.enum(PLAN_ORDERS)
			.default("cheapest")
			.meta({ description: "Which of several tokens it buys first; equal ones by the other." }),
		early: z.boolean().default(false).meta({
			description:
				"True: by traits alone, as soon as a token shows them, although many others are hidden.",
		}),
		priorityFeeWei: z
			.string()
			.regex(/^[1-9]\d{0,12}$/)
			.refine((text) => BigInt(text) <= PRIORITY_FEE_MAX, { message: "at most 1000 gwei" })
			.optional()
			.meta({
				description:
					"The least tip per gas that its buys offer, in base units, as a string; left out: what " +
					"nodes ask for. The limit of network fees holds for it too.",
				examples: ["3000000000"],
			}),
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
	})
	.refine((body) => !body.early || body.maxRank === undefined, {
		path: ["early"],
		message: "ranks are known once all tokens are read: name traits alone",
	});

export type PlanBody = z.output<typeof planBody>;

/** Returns the terms of a body: amounts and end. Throws Faults for invalid ones. */
export function termsOf(
	body: Omit<PlanBody, "trigger" | "collectionSlug" | "chain">,
	{ chain, nowMs }: { chain: Chain; nowMs: number },
): PlanTerms & { expiresAt: Date } {
	const maxPriceRaw = readMember("maxPricePerItemNative", () =>
		amountRaw(body.maxPricePerItemNative, chain),
	);
	const budgetRaw = readMember("budgetNative", () => amountRaw(body.budgetNative, chain));
	if (budgetRaw < maxPriceRaw) {
		throw invalidPlan("budgetNative", "must not be below `maxPricePerItemNative`");
	}
	const { maxRank = null, traits, maxItems, order, early, expiresAt } = body;
	const endsAtMs = expiresAt === undefined ? nowMs + LIFETIME_DEFAULT_MS : Date.parse(expiresAt);
	if (!(endsAtMs > nowMs && endsAtMs <= nowMs + LIFETIME_MAX_MS)) {
		throw invalidPlan("expiresAt", "must be in the future, and within a year");
	}
	const { priorityFeeWei } = body;
	const priorityFeeRaw = priorityFeeWei === undefined ? null : BigInt(priorityFeeWei);
	const terms = { maxRank, traits, maxPriceRaw, budgetRaw, maxItems, order, early };
	return { ...terms, priorityFeeRaw, expiresAt: new Date(endsAtMs) };
}

function amountRaw(text: string, { nativeCurrency }: Chain): bigint {
	const { units } = parseAmount(text, nativeCurrency);
	if (units > 0n) return units;
	throw moneyFault.amountInvalid({ public: "The amount must be more than zero." });
}
