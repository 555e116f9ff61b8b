import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import { buyRequestOf, NFT_BUY } from "#plugins/nft-buys/contract.ts";
import { type Candidate, fillRefusal } from "#plugins/reveal-snipe/plans/chooseListings.ts";
import { driftOf } from "#plugins/reveal-snipe/plans/drift.ts";
import { TOKEN_ATTEMPTS_MAX } from "#plugins/reveal-snipe/plans/limits.ts";
import type { PlansContext } from "#plugins/reveal-snipe/plans/PlansContext.ts";
import { mayTryAgain } from "#plugins/reveal-snipe/plans/refusals.ts";
import { isAnyOpen, readStandings } from "#plugins/reveal-snipe/plans/standings.ts";
import { lockFillsOfOrder, putFill } from "#plugins/reveal-snipe/sql/fills.ts";
import { lockPlan } from "#plugins/reveal-snipe/sql/plans.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

export type FillAsked = {
	planId: string;
	/** The token of the lease for evaluating the plan. */
	token: number;
	candidate: Candidate;
	/** The profile as just read; compared with the one that the plan was armed with. */
	profile: Profile;
};

export type MadeFill =
	| { kind: "made"; intentId: string }
	/** This listing is not bought; another one may be. */
	| { kind: "skipped" }
	/** The plan buys no more now: its status changed, or another process evaluates it. */
	| { kind: "stopped" };

/**
 * Records a fill and the intent that executes it, in one transaction that locks the plan's row: the
 * only place that enforces ceiling, budget and count. All fills that hold or may still spend money
 * are counted, so parallel processes or a crash between two steps cannot exceed them.
 */
export function makeFill(context: PlansContext, asked: FillAsked): Promise<MadeFill> {
	return context.steps.run("plan.fill", () =>
		context.core.db.transaction((tx) => recordFill(tx, context, asked)),
	);
}

async function recordFill(
	tx: Tx,
	{ core, wallets: { execution } }: PlansContext,
	{ planId, token, candidate, profile }: FillAsked,
): Promise<MadeFill> {
	const { tokenId, orderHash, priceRaw, rank } = candidate;
	const plan = await lockPlan(tx, planId);
	const createdAt = new Date(core.clock.nowMs());
	if (plan?.evaluationToken !== token || plan.status !== "armed") return { kind: "stopped" };
	if (plan.expiresAt <= createdAt || driftOf(plan, profile) !== null) return { kind: "stopped" };
	// The reveal was taken back, or is too long ago: perhaps while it waited for its turn.
	if (plan.dueUntil === null || plan.dueUntil <= createdAt) return { kind: "stopped" };
	const standings = (await readStandings(tx, execution, [planId])).get(planId) ?? [];
	const asked = { ...candidate, mayTryAgain, attemptsMax: TOKEN_ATTEMPTS_MAX };
	if (fillRefusal(plan, standings, asked) !== null) return { kind: "skipped" };
	// Of two fills of one order one would revert, and its owner would pay the gas.
	const others = await lockFillsOfOrder(tx, { orderHash, planId });
	if (await isAnyOpen(tx, execution, others)) return { kind: "skipped" };
	const wallet = profile.wallets.find(({ id }) => id === plan.walletId);
	assert(wallet, "a plan without drift has its wallet");
	const { contract, chainId } = plan;
	const [intent] = await execution.create(tx, [
		{
			...{ kind: NFT_BUY, profile, wallet, chainId, channel: "snipe" },
			request: buyRequestOf({ contract, tokenId, orderHash, priceLimitRaw: priceRaw }),
		},
	]);
	assert(intent, "an intent that was asked for is made");
	const { id: intentId } = intent;
	await putFill(tx, { planId, tokenId, intentId, orderHash, rank, priceRaw, createdAt });
	return { kind: "made", intentId };
}
