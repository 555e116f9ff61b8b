// Chooses the listings that a plan buys, says why it leaves others, and what a refused buy means.

import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { mulDiv } from "#core/money.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { type Standing, totalsOf } from "#plugins/reveal-snipe/plans/standings.ts";
import type { PlanTerms } from "#plugins/reveal-snipe/sql/plans.ts";
import type { Held } from "#plugins/wallets/contract.ts";

/** A listing with the price of one unit, in base units of the chain's coin. */
export type Candidate = TokenListing & { priceRaw: bigint };

type Chosen = {
	/** Listings that may be bought, in the plan's order. */
	candidates: Candidate[];
	skipped: { listing: TokenListing; reason: SkipReason }[];
};

type ChooseOptions = {
	/** The paying address, whose own listings are not bought. Null where it is not known. */
	buyer: string | null;
	normaliseTrait(text: string): string;
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

/** Holds what a refused or failed buy means for its plan. */
type Refusal = {
	/** True: no other listing would succeed now, so the pass ends. */
	endsPass: boolean;
	/** True: this listing may be tried once more, in a later pass. */
	mayTryAgain: boolean;
};

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

/**
 * Divides listings into those that a plan would buy, in its order, and those that it never would.
 * Earlier purchases are not considered here: `fillRefusal` checks them, one listing at a time.
 */
export function chooseListings(
	terms: Pick<PlanTerms, "maxRank" | "traits" | "maxPriceRaw" | "order">,
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
	chosen.candidates.sort(terms.order === "rarest" ? byRankThenPrice : byPriceThenRank);
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

/**
 * Walks through candidates as an evaluation would that may fill every listing, and returns what it
 * would buy, and why it would leave the others.
 */
export function walkListings(
	terms: PlanTerms,
	standings: readonly Standing[],
	candidates: readonly Candidate[],
): { bought: Candidate[]; left: { listing: Candidate; reason: SkipReason }[] } {
	const bought: Candidate[] = [];
	const left: { listing: Candidate; reason: SkipReason }[] = [];
	const held = [...standings];
	const rules = { mayTryAgain: () => false, attemptsMax: 1 };
	for (const candidate of candidates) {
		const reason = fillRefusal(terms, held, { ...candidate, ...rules });
		if (reason !== null) left.push({ listing: candidate, reason });
		else {
			bought.push(candidate);
			held.push(heldBy(candidate));
		}
	}
	return { bought, left };
}

/** Returns true if a pass ends with that code. */
export function endsPass(errorCode: string | null): boolean {
	return errorCode !== null && (refusals[errorCode]?.endsPass ?? false);
}

/** Returns true if the same listing may be tried again. An expired intent was never sent. */
export function mayTryAgain(errorCode: string | null, status: Held["status"]): boolean {
	if (status === "expired") return true;
	return errorCode !== null && (refusals[errorCode]?.mayTryAgain ?? false);
}

/** Returns true if the provider had no capacity: the plan is evaluated again soon. */
export function isLimited(errorCode: string | null): boolean {
	return errorCode === "rate_limited" || errorCode === "provider_unavailable";
}

/** Returns a candidate as a completed fill: bought and paid. */
function heldBy({ tokenId, orderHash, rank, priceRaw }: Candidate): Standing {
	return {
		...{ planId: "", intentId: "", pastIntentIds: [], createdAt: new Date(0) },
		...{ errorCode: null, error: null },
		...{ tokenId, orderHash, rank, priceRaw, status: "confirmed", isOpen: false },
		...{ heldRaw: priceRaw, openRaw: 0n },
	};
}

function byPriceThenRank(one: Candidate, other: Candidate): number {
	return comparePrices(one, other) || compareRanks(one, other) || compareHashes(one, other);
}

function byRankThenPrice(one: Candidate, other: Candidate): number {
	return compareRanks(one, other) || comparePrices(one, other) || compareHashes(one, other);
}

function comparePrices({ priceRaw: one }: Candidate, { priceRaw: other }: Candidate): number {
	if (one === other) return 0;
	return one < other ? -1 : 1;
}

/** Orders by rank; a token without a rank comes last. */
function compareRanks({ rank: one }: Candidate, { rank: other }: Candidate): number {
	if (one === null || other === null) return Number(one === null) - Number(other === null);
	return one - other;
}

function compareHashes({ orderHash: one }: Candidate, { orderHash: other }: Candidate): number {
	return one < other ? -1 : 1;
}
