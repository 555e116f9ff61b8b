import { assert } from "#core/fault/assert.ts";
import { type Plans, targetOf } from "#plugins/reveal-snipe/plans/createPlans.ts";
import { type DryRun, dryRun } from "#plugins/reveal-snipe/plans/dryRun.ts";
import { planFault } from "#plugins/reveal-snipe/plans/faults.ts";
import { BOOKS_KEPT_MS } from "#plugins/reveal-snipe/plans/limits.ts";
import type { PlansContext } from "#plugins/reveal-snipe/plans/PlansContext.ts";
import { type PlanBody, termsOf } from "#plugins/reveal-snipe/plans/planBody.ts";
import { readKeptBook } from "#plugins/reveal-snipe/sql/keptBooks.ts";
import type { PlanTerms } from "#plugins/reveal-snipe/sql/plans.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

export type DryRuns = {
	/** Simulates one of a profile's plans on the last reveal of its collection. */
	ofPlan(profile: Profile, id: string): Promise<DryRun>;
	/** Simulates a plan that was never armed. */
	ofBody(profile: Profile, body: PlanBody): Promise<DryRun>;
};

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

function addressOf({ wallets }: Profile, walletId: string | null): string | null {
	return wallets.find(({ id }) => id === walletId)?.address ?? null;
}
