import type { Tx } from "#core/db/Database.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Wallet } from "#plugins/wallets/contract.ts";
import type { CustodyTransaction } from "#plugins/wallets/custody/Custody.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { HAND_OVER_WITHIN_MS } from "#plugins/wallets/execution/limits.ts";
import type { PlannedIntent } from "#plugins/wallets/execution/PlannedIntent.ts";
import { beginSubmission } from "#plugins/wallets/submission/beginSubmission.ts";

/** What is handed over next, under the reference it is known by for ever. */
export type HandOver = {
	submissionId: string;
	intentId: string;
	profileId: string;
	providerWalletId: string;
	transaction: CustodyTransaction;
	handOverUntilMs: number;
	validUntilMs: number;
};

/** Takes the nonce and records the hand-over; null while the account's last one is in doubt. */
export async function beginHandOver(
	world: ExecutionWorld,
	tx: Tx,
	given: {
		planned: PlannedIntent;
		submissionId: string;
		account: AccountState;
		wallet: Wallet;
	},
): Promise<HandOver | null> {
	const { planned, submissionId, account, wallet } = given;
	const { providerWalletId } = wallet;
	if (providerWalletId === null) return null;
	const nowMs = world.clock.nowMs();
	const validUntilMs = nowMs + HAND_OVER_WITHIN_MS + world.settings.sendTimeoutMs;
	const transaction = await beginSubmission(tx, {
		submissionId,
		plan: planned.plan,
		gasLimit: planned.gasLimit,
		account,
		holder: world.holder,
		session: world.session,
		at: new Date(nowMs),
		validUntil: new Date(validUntilMs),
	});
	return (
		transaction && {
			submissionId,
			intentId: planned.intent.id,
			profileId: planned.intent.profileId,
			providerWalletId,
			transaction,
			handOverUntilMs: nowMs + HAND_OVER_WITHIN_MS,
			validUntilMs,
		}
	);
}
