import type { Audit } from "#core/audit/createAudit.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { tellReceipt } from "#plugins/wallets/reconcile/settleMined.ts";

export type ArrivalResolution = { intentId: string; arrived: boolean; actor: string };

const NOT_THERE = {
	code: "not_received",
	detail: "An operator looked: it is not where it was to go.",
};

/**
 * Settles an intent that is mined, and of which nobody can say whether it arrived, by an operator's
 * word. The chain cannot: its receipt and its balances say different things. The spend counts
 * either way. Throws `intent_state` (409) for everything else.
 */
export async function resolveArrival(
	deps: Pick<ExecutionDeps, "db" | "clock" | "steps">,
	audit: Audit,
	{ intentId, arrived, actor }: ArrivalResolution,
): Promise<Intent> {
	const at = new Date(deps.clock.nowMs());
	return await deps.steps.run("commit.found", () =>
		deps.db.transaction(async (tx) => {
			// In the order in which everybody takes them.
			const [payment] = await tx.query<{ state: string }>(
				`select state::text as state from wallets.submission
				where intent_id = $1 and purpose = 'pay' order by step desc limit 1 for update`,
				[intentId],
			);
			await tx.query("select 1 from wallets.intent where id = $1 for no key update", [intentId]);
			const [before] = await readIntents(tx, [intentId]);
			if (!before) throw executionFault.notFound();
			const isDoubtful = payment?.state === "mined" && before.status === "uncertain";
			if (!isDoubtful) throw executionFault.intentState();
			const missing = arrived ? null : NOT_THERE;
			await tellReceipt(tx, { intentId, succeeded: true, missing, spentRaw: null, at });
			const [after] = await readIntents(tx, [intentId]);
			if (!after) throw executionFault.notFound();
			await audit.append(tx, {
				actor: `operator:${actor}`,
				action: "trading.intent.resolved",
				subject: `intent:${intentId}`,
				detail: {
					claimed: arrived ? "arrived" : "not_arrived",
					before: before.status,
					after: after.status,
					errorCode: after.errorCode,
					doubted: before.errorCode,
					transactionHash: after.transactionHash,
				},
			});
			return after;
		}),
	);
}
