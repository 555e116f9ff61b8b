import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Wallet } from "#plugins/wallets/contract.ts";
import type { CustodyTransaction } from "#plugins/wallets/custody/Custody.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { HAND_OVER_WITHIN_MS } from "#plugins/wallets/execution/limits.ts";
import type { PlannedIntent } from "#plugins/wallets/execution/PlannedIntent.ts";
import { type Beginning, beginningOf } from "#plugins/wallets/submission/beginningOf.ts";
import type { Lane } from "#plugins/wallets/submission/readLane.ts";

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

/** A hand-over that counts once its beginning is written; null while the account is in doubt. */
export function handOverOf(
	world: ExecutionWorld,
	given: {
		planned: PlannedIntent;
		submissionId: string;
		account: AccountState;
		wallet: Wallet;
		lane: Lane;
	},
): { next: HandOver; beginning: Beginning } | null {
	const { planned, submissionId, account, wallet, lane } = given;
	const { providerWalletId } = wallet;
	if (providerWalletId === null) return null;
	const nowMs = world.clock.nowMs();
	const validUntilMs = nowMs + HAND_OVER_WITHIN_MS + world.settings.sendTimeoutMs;
	const beginning = beginningOf(lane, {
		plan: planned.plan,
		gasLimit: planned.gasLimit,
		account,
		session: world.session,
		at: new Date(nowMs),
		validUntil: new Date(validUntilMs),
	});
	if (!beginning) return null;
	const next = {
		submissionId,
		intentId: planned.intent.id,
		profileId: planned.intent.profileId,
		providerWalletId,
		transaction: beginning.transaction,
		handOverUntilMs: nowMs + HAND_OVER_WITHIN_MS,
		validUntilMs,
	};
	return { next, beginning };
}
