import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { mulDiv, toDisplayNumber } from "#core/money.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { type Plans, targetOf } from "#plugins/reveal-snipe/plans/createPlans.ts";
import type { PlansContext } from "#plugins/reveal-snipe/plans/evaluatePlan.ts";
import {
	BOOKS_KEPT_MS,
	DRY_RUN_SKIPPED_MAX,
	type PlanBody,
	planFault,
	termsOf,
} from "#plugins/reveal-snipe/plans/planBody.ts";
import { type Standing, totalsOf } from "#plugins/reveal-snipe/plans/standings.ts";
import type { PlanTerms } from "#plugins/reveal-snipe/sql/plans.ts";
import { type KeptBook, readKeptBook } from "#plugins/reveal-snipe/sql/watch.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

/** A listing with the price of one unit, in base units of the chain's coin. */
export type Candidate = TokenListing & { priceRaw: bigint };

export type Chosen = {
	/** The cheapest first; at equal prices the best rank first. */
	candidates: Candidate[];
	skipped: { listing: TokenListing; reason: SkipReason }[];
};

export type ChooseOptions = {
	/** The paying address, whose own listings are not bought. Null where it is not known. */
	buyer: string | null;
	normaliseTrait(text: string): string;
};

export type DryRunAsked = {
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

/** Reasons why a plan does not buy a listing. */
export const SKIP_REASONS = [
	"rank_unknown",
	"rank_above_ceiling",
	"traits_missing",
	"currency_not_native",
	"own_listing",
	"price_above_ceiling",
	"token_taken",
	"tried_before",
	"items_reached",
	"budget_left_too_small",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

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

export type DryRun = z.output<typeof dryRunSchema>;

/**
 * Simulates a plan on the book that was kept at a reveal, by the rules of a real evaluation. Every
 * listing counts as fillable, because it is unknown which other buyers were faster.
 */
export function dryRun(asked: DryRunAsked): DryRun {
	const { terms, book, chain, collectionSlug, floorRaw } = asked;
	const { candidates, skipped } = chooseListings(terms, book.listings, asked);
	const bought: Candidate[] = [];
	const left: { listing: Pick<Candidate, "tokenId" | "rank" | "orderHash">; reason: SkipReason }[] =
		[...skipped];
	for (const candidate of candidates) {
		const rules = { mayTryAgain: () => false, attemptsMax: 1 };
		const reason = fillRefusal(terms, bought.map(heldBy), { ...candidate, ...rules });
		if (reason === null) bought.push(candidate);
		else left.push({ listing: candidate, reason });
	}
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
 * Divides listings into those that a plan would buy, in its order, and those that it never would.
 * Earlier purchases are not considered here: `fillRefusal` checks them, one listing at a time.
 */
export function chooseListings(
	terms: Pick<PlanTerms, "maxRank" | "traits" | "maxPriceRaw">,
	listings: readonly TokenListing[],
	{ buyer, normaliseTrait }: ChooseOptions,
): Chosen {
	const wanted = terms.traits.map(({ type, values }) => {
		return { type: normaliseTrait(type), values: new Set(values.map(normaliseTrait)) };
	});
	const hasAll = ({ traits }: TokenListing) =>
		wanted.every(({ type, values }) =>
			traits.some((trait) => {
				return normaliseTrait(trait.type) === type && values.has(normaliseTrait(trait.value));
			}),
		);
	const reasonOf = (listing: Candidate): SkipReason | null => {
		if (terms.maxRank !== null) {
			if (listing.rank === null) return "rank_unknown";
			if (listing.rank > terms.maxRank) return "rank_above_ceiling";
		}
		if (!hasAll(listing)) return "traits_missing";
		// Its price in the coin depends on rates; only buys in the coin are supported.
		if (listing.currency !== ZERO_ADDRESS) return "currency_not_native";
		if (listing.maker === buyer) return "own_listing";
		return listing.priceRaw > terms.maxPriceRaw ? "price_above_ceiling" : null;
	};
	const chosen: Chosen = { candidates: [], skipped: [] };
	for (const listing of listings) {
		const priceRaw = mulDiv(listing.totalRaw, 1n, listing.quantity, "up");
		const candidate = { ...listing, priceRaw };
		const reason = reasonOf(candidate);
		if (reason === null) chosen.candidates.push(candidate);
		else chosen.skipped.push({ listing, reason });
	}
	chosen.candidates.sort(byPriceThenRank);
	return chosen;
}

/**
 * Returns why a plan may not buy a listing now, counting all that its fills hold or may still
 * spend; null: it may. Call this under the lock of the plan.
 */
export function fillRefusal(
	terms: PlanTerms,
	standings: readonly Standing[],
	given: Pick<Candidate, "tokenId" | "orderHash" | "priceRaw"> & {
		mayTryAgain(errorCode: string | null, status: Standing["status"]): boolean;
		attemptsMax: number;
	},
): SkipReason | null {
	const { tokenId, orderHash, priceRaw } = given;
	const fill = standings.find((one) => one.tokenId === tokenId);
	if (fill) {
		if (fill.isOpen || fill.heldRaw > 0n) return "token_taken";
		const isSame = fill.orderHash === orderHash;
		if (isSame && !given.mayTryAgain(fill.errorCode, fill.status)) return "tried_before";
		if (fill.pastIntentIds.length + 1 >= given.attemptsMax) return "tried_before";
	}
	const { committedRaw, committedCount } = totalsOf(standings);
	if (priceRaw > terms.maxPriceRaw) return "price_above_ceiling";
	if (committedCount >= terms.maxItems) return "items_reached";
	return committedRaw + priceRaw > terms.budgetRaw ? "budget_left_too_small" : null;
}

/** Returns a candidate as a completed fill: bought and paid. */
function heldBy({ tokenId, orderHash, rank: place, priceRaw }: Candidate): Standing {
	return {
		...{ planId: "", intentId: "", pastIntentIds: [], createdAt: new Date(0), errorCode: null },
		...{ tokenId, orderHash, rank: place, priceRaw, status: "confirmed", isOpen: false },
		...{ heldRaw: priceRaw, openRaw: 0n },
	};
}

function addressOf({ wallets }: Profile, walletId: string | null): string | null {
	return wallets.find(({ id }) => id === walletId)?.address ?? null;
}

function byPriceThenRank(one: Candidate, other: Candidate): number {
	if (one.priceRaw !== other.priceRaw) return one.priceRaw < other.priceRaw ? -1 : 1;
	const ranks = (one.rank ?? Number.POSITIVE_INFINITY) - (other.rank ?? Number.POSITIVE_INFINITY);
	// Two without a rank: their difference is NaN.
	if (ranks < 0 || ranks > 0) return ranks;
	return one.orderHash < other.orderHash ? -1 : 1;
}
