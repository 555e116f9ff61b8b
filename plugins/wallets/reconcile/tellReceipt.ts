import type { Tx } from "#core/db/Database.ts";
import type { Denial } from "#plugins/wallets/contract.ts";
import type { IntentEvent } from "#plugins/wallets/intent/IntentStatus.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { followSpend } from "#plugins/wallets/spend/followSpend.ts";

/** Moves an intent by its receipt, and what was reserved for it. Answers by which event. */
export async function tellReceipt(
	tx: Tx,
	told: { intentId: string; succeeded: boolean; missing: Denial | null; at: Date },
): Promise<IntentEvent> {
	const { intentId, succeeded, missing, at } = told;
	const event: IntentEvent = !succeeded ? "reverted" : missing ? "missed" : "mined";
	const errorCode = succeeded ? (missing?.code ?? null) : "reverted_on_chain";
	const detail = missing?.detail ?? null;
	// From `failed` and `expired` a receipt is first of all found.
	const moved = await moveIntent(tx, { intentId, event, at, errorCode, detail });
	if (moved === null) {
		await moveIntent(tx, { intentId, event: "found", at });
		await moveIntent(tx, { intentId, event, at, errorCode, detail });
	}
	await followSpend(tx, { intentId, move: succeeded ? "spend" : "release", at });
	return event;
}
