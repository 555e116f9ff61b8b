// Simulates plans on the order book that was kept at a reveal. Only reads.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { assert } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { toDisplayNumber } from "#core/money.ts";
import { planFault } from "#plugins/reveal-snipe/faults.ts";
import { BOOKS_KEPT_MS, DRY_RUN_SKIPPED_MAX } from "#plugins/reveal-snipe/limits.ts";
import type { PlansContext } from "#plugins/reveal-snipe/model.ts";
import {
	type Candidate,
	chooseListings,
	SKIP_REASONS,
	type SkipReason,
	walkListings,
} from "#plugins/reveal-snipe/plans/chooseListings.ts";
import { type Plans, targetOf } from "#plugins/reveal-snipe/plans/createPlans.ts";
import { type PlanBody, termsOf } from "#plugins/reveal-snipe/plans/planBody.ts";
import type { PlanTerms } from "#plugins/reveal-snipe/sql/plans.ts";
import { type KeptBook, readKeptBook } from "#plugins/reveal-snipe/sql/watch.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

type DryRunAsked = {
	terms: PlanTerms;
	book: KeptBook;
	chain: Chain;
	collectionSlug: string;
	/** The floor price in base units of ETH; null while unknown. */
	floorRaw: bigint | null;
	buyer: string | null;
	normaliseTrait(text: string): string;
};

export type DryRuns = {
	/** Simulates one of a profile's plans on the last reveal of its collection. */
	ofPlan(profile: Profile, id: string): Promise<DryRun>;
	/** Simulates a plan that was never armed. */
	ofBody(profile: Profile, body: PlanBody): Promise<DryRun>;
};

const rank = field.integer("The token's rank then; null where it had none.", 17).nullable();
const boughtSchema = z
	.object({
		tokenId: field.digits("The token.", "6529"),
		rank,
		orderHash: field.hashText("The listing that it would have bought."),
		priceNative: field.number("Its price, in the chain's coin.", 0.35),
		priceRaw: field.digits("The same in base units.", "350000000000000000"),
	})
	.meta({ id: "SnipeDryRunBuy", description: "A token that a plan would have bought." });

export const dryRunSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		collectionSlug: field.text("The collection's slug.", "tidal-cats"),
		blockNumber: field
			.integer("The block that told of the reveal; null where a poll noticed it.", 21_000_000)
			.nullable(),
		blockAt: field.time("That block's time; null without it.").nullable(),
		detectedAt: field.time("When the reveal was noticed."),
		boughtAt: field.time("When all tokens were ranked: then it would have bought."),
		afterBlockMs: field
			.integer("From the block's time, else from the notice, until then.", 4_200)
			.meta({ minimum: 0 }),
		bought: z.array(boughtSchema).meta({ description: "What it would have bought, in its order." }),
		spentNative: field.number("What that would have cost, in the chain's coin.", 0.7),
		spentRaw: field.digits("The same in base units.", "700000000000000000"),
		floorNative: field
			.number("The collection's floor now; null while unknown, or not in the chain's coin.", 0.5)
			.nullable(),
		worthNative: field
			.number("What was bought, at that floor, in the chain's coin; null without it.", 1)
			.nullable(),
		skipped: z
			.array(
				z
					.object({
						tokenId: field.digits("The token.", "4711"),
						rank,
						orderHash: field.hashText("The listing."),
						reason: z.enum(SKIP_REASONS).meta({ description: "Why it would not have bought it." }),
					})
					.meta({ id: "SnipeDryRunSkip", description: "A listing that a plan would have left." }),
			)
			.meta({ description: `Listings that it would have left, ${DRY_RUN_SKIPPED_MAX} at most.` }),
		skippedCounts: z
			.record(z.string(), z.int())
			.meta({ description: "How many for each reason.", examples: [{ rank_above_ceiling: 812 }] }),
	})
	.meta({ id: "SnipeDryRun", description: "What a plan would have bought at the last reveal." });

type DryRun = z.output<typeof dryRunSchema>;

/** Makes the functions that return what plans would have bought. They only read. */
export function createDryRuns(context: PlansContext, plans: Pick<Plans, "own">): DryRuns {
	const { core, market } = context;

	async function play(given: {
		terms: PlanTerms;
		collectionId: number;
		chainId: number;
		buyer: string | null;
	}): Promise<DryRun> {
		const { terms, collectionId, chainId, buyer } = given;
		const since = new Date(core.clock.nowMs() - BOOKS_KEPT_MS);
		const [book, floor, [subject]] = await Promise.all([
			readKeptBook(core.db, { collectionId, since }),
			market.book.floor(collectionId),
			market.reveals.subjects([collectionId]),
		]);
		const chain = core.chains.byId(chainId);
		if (!book || !subject) throw planFault.revealUnknown();
		assert(chain, "a plan is on a chain that there is a definition for");
		const { normaliseTrait } = market.book;
		const floorRaw = floor?.native ?? null;
		const { slug: collectionSlug } = subject;
		return dryRun({ terms, book, chain, collectionSlug, floorRaw, buyer, normaliseTrait });
	}

	return {
		async ofPlan(profile, id) {
			const plan = await plans.own(profile.id, id);
			const buyer = addressOf(profile, plan.walletId);
			return play({ ...plan, terms: plan, buyer });
		},
		async ofBody(profile, body) {
			const { collectionId, chain } = await targetOf(context, body);
			const terms = termsOf(body, { chain, nowMs: core.clock.nowMs() });
			const walletId = body.walletId?.toLowerCase() ?? profile.canonicalWalletId;
			return play({ terms, collectionId, chainId: chain.id, buyer: addressOf(profile, walletId) });
		},
	};
}

/**
 * Simulates a plan on the book that was kept at a reveal, by the rules of a real evaluation. Every
 * listing counts as fillable, because it is unknown which other buyers were faster.
 */
function dryRun(asked: DryRunAsked): DryRun {
	const { terms, book, chain, collectionSlug, floorRaw } = asked;
	const { candidates, skipped } = chooseListings(terms, book.listings, asked);
	const walked = walkListings(terms, [], candidates);
	const { bought } = walked;
	const left: { listing: Pick<Candidate, "tokenId" | "rank" | "orderHash">; reason: SkipReason }[] =
		[...skipped, ...walked.left];
	const { decimals, symbol } = chain.nativeCurrency;
	const native = (raw: bigint) => toDisplayNumber(raw, decimals);
	const spentRaw = bought.reduce((sum, { priceRaw }) => sum + priceRaw, 0n);
	const floor = symbol === "ETH" ? floorRaw : null;
	const skippedCounts: Record<string, number> = {};
	for (const { reason } of left) skippedCounts[reason] = (skippedCounts[reason] ?? 0) + 1;
	const { blockNumber, blockAt, detectedAt, takenAt } = book;
	return {
		...{ chain: chain.slug, collectionSlug, blockNumber, skippedCounts },
		blockAt: blockAt?.toISOString() ?? null,
		detectedAt: detectedAt.toISOString(),
		boughtAt: takenAt.toISOString(),
		afterBlockMs: Math.max(0, takenAt.getTime() - (blockAt ?? detectedAt).getTime()),
		bought: bought.map(({ tokenId, rank: place, orderHash, priceRaw }) => {
			const price = { priceNative: native(priceRaw), priceRaw: String(priceRaw) };
			return { tokenId, rank: place, orderHash, ...price };
		}),
		spentNative: native(spentRaw),
		spentRaw: String(spentRaw),
		floorNative: floor === null ? null : native(floor),
		worthNative: floor === null ? null : native(floor * BigInt(bought.length)),
		skipped: left.slice(0, DRY_RUN_SKIPPED_MAX).map(({ listing, reason }) => {
			return { tokenId: listing.tokenId, rank: listing.rank, orderHash: listing.orderHash, reason };
		}),
	};
}

function addressOf({ wallets }: Profile, walletId: string | null): string | null {
	return wallets.find(({ id }) => id === walletId)?.address ?? null;
}
