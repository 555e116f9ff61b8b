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
	/** The right to evaluate the plan, as it was taken. */
	token: number;
	candidate: Candidate;
	/** As it was a moment ago: what the plan was armed with is held against it. */
	profile: Profile;
};

export type MadeFill =
	| { kind: "made"; intentId: string }
	/** That listing not; another one perhaps. */
	| { kind: "skipped" }
	/** The plan buys nothing more now: it was moved, or another process evaluates it. */
	| { kind: "stopped" };

/**
 * Makes a fill and the intent that carries it out, in one transaction that holds the plan's row:
 * the one place where ceiling, budget and count are enforced. All fills that hold anything or
 * may still spend are counted, so no two processes, and no crash between two steps, go beyond them.
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
	// One of the two would revert, and its owner pay for that.
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
