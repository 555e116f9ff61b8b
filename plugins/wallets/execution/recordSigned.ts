import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Intent, Plan } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { storePlan } from "#plugins/wallets/intent/storePlan.ts";

/**
 * The owner's own wallet says that it sent. One hash stands for one intent: the same transaction
 * told for two is refused. Whether it is what was planned, the chain tells; until then nothing
 * counts as spent, and limits do not hold what a person signs with their own key.
 */
export async function recordSigned(
	deps: ExecutionDeps,
	tx: Tx,
	given: { intent: Intent; transactionHash: Hex; early?: Plan | undefined },
): Promise<void> {
	const { intent, transactionHash } = given;
	const at = new Date(deps.clock.nowMs());
	if (intent.transactionHash === transactionHash) return;
	// Nobody planned it yet: what was signed is the plan that its transaction is held against.
	const early = intent.status === "waiting" ? given.early : undefined;
	const from = (early ?? intent.plan)?.from;
	if (!from || intent.walletId === null) throw executionFault.intentState();
	const sender = hexToBytes(from);
	const hash = hexToBytes(transactionHash);
	const told = await tx.query(
		`select 1 from wallets.submission
		where chain_id = $1 and sender = $2 and transaction_hash = $3`,
		[intent.chainId, sender, hash],
	);
	if (told.length > 0) throw executionFault.transactionOther();
	const intentId = intent.id;
	if (early) await storePlan(tx, { intentId, plan: early });
	else if (intent.status === "waiting") throw executionFault.intentState();
	// What was signed in the last minute is told in the next: the chain is believed, not the clock.
	const event = intent.status === "expired" ? "found" : "sent";
	if ((await moveIntent(tx, { intentId, event, at })) === null) {
		throw executionFault.intentState();
	}
	// Two who report it in the same moment have both found nothing: the unique index decides.
	const written = await tx.execute(
		`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
			transaction_hash, from_block, session, created_at, sent_at)
		select $1, id, 0, $3, $4, $5, 'sent', $6, planned_block, $7, $8, $8
		from wallets.intent where id = $2
		on conflict do nothing`,
		[deps.newId(), intentId, intent.walletId, intent.chainId, sender, hash, deps.session, at],
	);
	if (written === 0) throw executionFault.transactionOther();
}
