import { Fault } from "#core/fault/Fault.ts";
import type { PlansContext } from "#plugins/reveal-snipe/plans/PlansContext.ts";
import { readStandings } from "#plugins/reveal-snipe/plans/standings.ts";
import { movePlan, type Plan, type PlanMove } from "#plugins/reveal-snipe/sql/plans.ts";

/** Statuses of intents that were perhaps not sent: stopping a plan cancels them too. */
const UNSENT: ReadonlySet<string> = new Set([
	"created",
	// It may wait in its wallet's nonce queue.
	"submitting",
	"confirmation_required",
	"review_required",
	"signature_required",
	"waiting",
]);

/**
 * Moves a plan, in a transaction of its own; returns false where its status does not allow the
 * event. When the plan stops buying, its unsent intents are cancelled; sent ones continue.
 */
export async function changePlan(
	context: PlansContext,
	plan: Pick<Plan, "id" | "profileId" | "status">,
	change: Pick<PlanMove, "event" | "pauseReason" | "armedWith"> & { signal: AbortSignal },
): Promise<boolean> {
	const { core } = context;
	const { signal, ...move } = change;
	const at = new Date(core.clock.nowMs());
	const isMoved = await context.steps.run("plan.move", () =>
		movePlan(core.db, { ...move, id: plan.id, at }),
	);
	if (!isMoved) {
		core.log.info("a plan is not moved", { id: plan.id, event: move.event });
		return false;
	}
	if (move.event !== "resume") await callOffUnsent(context, plan, signal);
	return true;
}

async function callOffUnsent(
	{ core, wallets: { execution } }: PlansContext,
	{ id, profileId }: Pick<Plan, "id" | "profileId">,
	signal: AbortSignal,
): Promise<void> {
	const standings = await readStandings(core.db, execution, [id]);
	const unsent = (standings.get(id) ?? []).filter(({ status }) => UNSENT.has(status));
	for (const { intentId } of unsent) {
		try {
			const actor = `profile:${profileId}`;
			await execution.cancel(intentId, { actor, isUnsentOnly: true, signal });
		} catch (error) {
			// Sent just now, or settled: then it continues, and needs no cancelling transaction.
			if (!(error instanceof Fault)) throw error;
			core.log.warn("a buy of a plan could not be called off", { intentId, error });
		}
	}
}
