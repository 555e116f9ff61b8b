// Renders a plan for its owner.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { field } from "#core/http/openapi/schema.ts";
import { pageSchema } from "#core/http/pages.ts";
import { toDisplayNumber } from "#core/money.ts";
import { PLAN_STATUSES } from "#plugins/reveal-snipe/model.ts";
import { outlookSchema } from "#plugins/reveal-snipe/plans/outlook.ts";
import { PAUSE_REASONS, type Standing, totalsOf } from "#plugins/reveal-snipe/plans/standings.ts";
import { PLAN_ORDERS, type Plan } from "#plugins/reveal-snipe/sql/plans.ts";
import { intentCode, intentErrorSchema } from "#plugins/wallets/contract.ts";

const fillSchema = z
	.object({
		planId: field.id("The plan."),
		tokenId: field.digits("The token.", "6529"),
		rank: field.integer("Its rank when it was chosen; null where it had none.", 17).nullable(),
		priceNative: field.number("What its listing asks for, in the chain's coin.", 0.35),
		priceRaw: field.digits("The same in base units.", "350000000000000000"),
		orderHash: field.hashText("The listing."),
		intentId: field.id("The buy, as `/v1/nft-market/intents/:id` shows it."),
		status: field.text("Where the buy stands, by the states of intents.", "confirmed"),
		failureCode: intentCode("Why it was rejected, or failed."),
		error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
		createdAt: field.time("When the token was chosen first."),
	})
	.meta({ id: "SnipeFill", description: "A token that a plan bought, or tried to buy." });

export const planSchema = z
	.object({
		id: field.id("Names the plan."),
		status: z.enum(PLAN_STATUSES).meta({ description: "`armed` and `paused` are not at an end." }),
		chain: field.text("Slug of the chain.", "ethereum"),
		collectionSlug: field.text("The collection's slug, as it is now.", "tidal-cats"),
		contractAddress: field.addressText("Its contract."),
		trigger: z.literal("on_reveal").meta({ description: "When it buys." }),
		maxRank: field.integer("The worst rank that it buys; null: any.", 200).nullable(),
		traits: z
			.array(
				z
					.object({
						type: field.text("Name of the trait.", "Eyes"),
						values: z
							.array(z.string())
							.meta({ description: "One of these.", examples: [["Laser"]] }),
					})
					.meta({
						id: "SnipeTrait",
						description: "A trait, with values of which a token has one.",
					}),
			)
			.meta({ description: "Traits that a token must have, all of them." }),
		maxPricePerItemNative: field.number("The most for one token, in the chain's coin.", 0.4),
		maxPricePerItemRaw: field.digits("The same in base units.", "400000000000000000"),
		budgetNative: field.number("The most for all tokens, in the chain's coin.", 2),
		budgetRaw: field.digits("The same in base units.", "2000000000000000000"),
		maxItems: field.integer("Tokens that it buys at most.", 5),
		order: z.enum(PLAN_ORDERS).meta({ description: "Which of several tokens it buys first." }),
		early: z.boolean().meta({ description: "True: it buys as soon as a token shows its traits." }),
		priorityFeeWei: field
			.digits("The least tip per gas that its buys offer; null: what nodes ask for.", "3000000000")
			.nullable(),
		spentNative: field.number(
			"Spent, or committed to buys that were submitted, in the chain's coin. What fails is given back.",
			0.35,
		),
		spentRaw: field.digits("The same in base units.", "350000000000000000"),
		filledCount: field.integer("Tokens that this is for.", 1),
		walletId: field.id("The wallet that pays."),
		pauseReason: z
			.enum(PAUSE_REASONS)
			.nullable()
			.meta({ description: "Why it was paused; null where its owner paused it, or nobody did." }),
		failureCode: field
			.text(
				"Why the last evaluation bought no more than it did: a code of its last refusal, or what " +
					"most listings lack (`rank_above_ceiling`, …), or `nothing_listed`.",
				"daily_limit",
			)
			.nullable(),
		createdAt: field.time("When it was made."),
		changedAt: field.time("When it was last moved from one status to another."),
		expiresAt: field.time("Until when it is armed."),
		fills: z.array(fillSchema).meta({ description: "Its buys, in order." }),
		outlook: outlookSchema.nullable().meta({
			description: "Whether it can still buy, and what; null in lists, and where it is not known.",
		}),
		outlookUnknown: field
			.text(
				"Why the outlook of this plan is not known; null where it is, and in lists.",
				"It could not be read now (database_unavailable): read the plan again.",
			)
			.nullable(),
	})
	.meta({ id: "SnipePlan", description: "A plan that buys by itself after a reveal." });

export const planPageSchema = z
	.object({
		data: z.array(planSchema).meta({ description: "Plans, newest first." }),
		page: pageSchema,
	})
	.meta({ id: "SnipePlanPage", description: "A page of your plans." });

export type PlanView = z.output<typeof planSchema>;

const NATIVE_DECIMALS = 18;

/** Renders a plan for its owner; its spending is what the ledger holds for its fills. */
export function renderPlan(
	plan: Plan,
	standings: readonly Standing[],
	{
		slug,
		chain,
		outlook,
	}: { slug: string; chain: Chain | undefined; outlook: PlanView["outlook"] },
): PlanView {
	const decimals = chain?.nativeCurrency.decimals ?? NATIVE_DECIMALS;
	const native = (raw: bigint) => toDisplayNumber(raw, decimals);
	const { spentRaw, filledCount } = totalsOf(standings);
	const { id, status, contract, maxRank, traits, maxPriceRaw, budgetRaw, maxItems } = plan;
	return {
		...{ id, status, collectionSlug: slug, contractAddress: contract, trigger: "on_reveal" },
		...{ maxRank, traits, maxItems, filledCount, order: plan.order, early: plan.early },
		priorityFeeWei: plan.priorityFeeRaw === null ? null : String(plan.priorityFeeRaw),
		chain: chain?.slug ?? String(plan.chainId),
		maxPricePerItemNative: native(maxPriceRaw),
		maxPricePerItemRaw: String(maxPriceRaw),
		budgetNative: native(budgetRaw),
		budgetRaw: String(budgetRaw),
		spentNative: native(spentRaw),
		spentRaw: String(spentRaw),
		walletId: plan.walletId,
		pauseReason: PAUSE_REASONS.find((reason) => reason === plan.pauseReason) ?? null,
		failureCode: plan.failureCode,
		createdAt: plan.createdAt.toISOString(),
		changedAt: plan.changedAt.toISOString(),
		expiresAt: plan.expiresAt.toISOString(),
		fills: standings.map((fill) => renderFill(fill, native)),
		outlook,
		outlookUnknown: null,
	};
}

function renderFill(fill: Standing, native: (raw: bigint) => number): PlanView["fills"][number] {
	const { planId, tokenId, rank, priceRaw, orderHash, intentId, status, errorCode, error } = fill;
	return {
		...{ planId, tokenId, rank, orderHash, intentId, status, failureCode: errorCode, error },
		priceNative: native(priceRaw),
		priceRaw: String(priceRaw),
		createdAt: fill.createdAt.toISOString(),
	};
}
