// Ends plans that are over, and pauses those whose wallet or profile changed.

import { Fault } from "#core/fault.ts";
import { PAGE_OF_PLANS } from "#plugins/reveal-snipe/limits.ts";
import type { PlansContext } from "#plugins/reveal-snipe/model.ts";
import { changePlan } from "#plugins/reveal-snipe/plans/createPlans.ts";
import {
	driftOf,
	readStandings,
	type Standing,
	totalsOf,
} from "#plugins/reveal-snipe/plans/standings.ts";
import { type Plan, readOpenPlans } from "#plugins/reveal-snipe/sql/plans.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

/**
 * Checks every open plan's time, wallet and purchases: plans that are over end, and an armed one
 * whose wallet or profile changed is paused.
 */
export async function checkPlans(context: PlansContext, signal: AbortSignal): Promise<void> {
	const { db } = context.core;
	let afterId: string | null = null;
	while (!signal.aborted) {
		const plans: Plan[] = await readOpenPlans(db, { afterId, limit: PAGE_OF_PLANS });
		const ids = plans.map(({ id }) => id);
		const standings = await readStandings(db, context.wallets.execution, ids);
		for (const plan of plans) {
			if (signal.aborted) return;
			await checkPlan(context, plan, { standings: standings.get(plan.id) ?? [], signal });
		}
		const last = plans.at(-1);
		if (!last || plans.length < PAGE_OF_PLANS) return;
		afterId = last.id;
	}
}

/** Ends or pauses a plan if due. Returns the profile that it may buy for; null: it may not buy. */
export async function checkPlan(
	context: PlansContext,
	plan: Plan,
	{ standings, signal }: { standings: readonly Standing[]; signal: AbortSignal },
): Promise<Profile | null> {
	const change = (event: "expire" | "complete" | "drift", pauseReason: string | null = null) =>
		changePlan(context, plan, { event, pauseReason, signal });
	if (plan.expiresAt.getTime() <= context.core.clock.nowMs()) {
		await change("expire");
		return null;
	}
	if (isComplete(plan, standings)) {
		await change("complete");
		return null;
	}
	if (plan.status !== "armed") return null;
	const profile = await profileOf(context, plan.profileId);
	const reason = driftOf(plan, profile);
	if (reason === null) return profile;
	await change("drift", reason);
	return null;
}

/** Returns the current profile; null where it no longer exists. */
export async function profileOf(
	{ wallets }: PlansContext,
	profileId: string,
): Promise<Profile | null> {
	try {
		const caller = { channel: "agent", profileId, authority: "none" } as const;
		return (await wallets.principalOf(caller)).profile;
	} catch (error) {
		if (error instanceof Fault && error.code === "unauthorized") return null;
		throw error;
	}
}

/** Returns true if a plan has bought all that it may, and no purchase is pending. */
function isComplete({ maxItems, budgetRaw }: Plan, standings: readonly Standing[]): boolean {
	if (standings.some(({ isOpen }) => isOpen)) return false;
	const { filledCount, spentRaw } = totalsOf(standings);
	return filledCount >= maxItems || spentRaw >= budgetRaw;
}
