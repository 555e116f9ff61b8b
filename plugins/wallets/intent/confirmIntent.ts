import type { Tx } from "#core/db/Database.ts";
import type { IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";

/** Whose yes it is. Neither stands for the other; each holds for the plan that it was said to. */
export type Yes = "owner" | "operator";

const YES = {
	owner: { event: "approve", column: "confirmed_plan" },
	operator: { event: "pass_review", column: "reviewed_plan" },
} as const;

/**
 * Notes a yes to the plan that an intent stands with, and moves it on to be planned anew. Returns
 * where it then stands; null where it does not wait for that yes. The caller holds its row.
 */
export async function confirmIntent(
	tx: Tx,
	{ intentId, by, at, until }: { intentId: string; by: Yes; at: Date; until?: Date },
): Promise<IntentStatus | null> {
	const { event, column } = YES[by];
	const moved = await moveIntent(tx, { intentId, event, at });
	if (moved === null) return null;
	await tx.execute(
		`update wallets.intent set ${column} = plan, expires_at = greatest(expires_at, $2)
		where id = $1`,
		[intentId, until ?? null],
	);
	return moved;
}
