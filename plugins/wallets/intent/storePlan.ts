import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import { hashPlan } from "#plugins/wallets/plan/hashPlan.ts";
import { planCodec } from "#plugins/wallets/plan/planCodec.ts";

/** Keeps the plan that an intent is judged, asked about or sent by, in place of the one before. */
export async function storePlan(
	tx: Tx,
	given: {
		intentId: string;
		plan: Plan;
		expiresAt?: Date;
		headBlock?: number | undefined;
	},
): Promise<void> {
	const { intentId, plan, expiresAt, headBlock } = given;
	await tx.execute(
		`update wallets.intent set plan = $2, plan_hash = $3, expires_at = coalesce($4, expires_at),
			planned_block = coalesce($5, planned_block)
		where id = $1`,
		[
			intentId,
			JSON.stringify(planCodec.write(plan)),
			hexToBytes(hashPlan(plan)),
			expiresAt ?? null,
			headBlock ?? null,
		],
	);
}
