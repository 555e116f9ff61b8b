import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { chooseNonce } from "#plugins/wallets/submission/chooseNonce.ts";
import type { Account } from "#plugins/wallets/submission/createNonceClaims.ts";
import type { NonceQueue } from "#plugins/wallets/submission/NonceQueue.ts";

/** Why nothing of an account is handed over now. */
export type NonceWait = "sending" | "in_doubt" | "unproven";

/**
 * The nonce under which an account's next transaction is handed over, or why it has to wait. Counts
 * that our records do not explain are remembered until a later block's answer.
 */
export function takeNonce(
	{ nonceClaims, log }: Pick<ExecutionDeps, "nonceClaims" | "log">,
	given: { of: Account; account: AccountState; queue: NonceQueue },
): { kind: "nonce"; nonce: number } | { kind: "wait"; why: NonceWait } {
	const { of, account, queue } = given;
	if (queue.isSending) return { kind: "wait", why: "sending" };
	const { minedNonce: mined, pendingNonce: pending, headBlock } = account;
	const confirmed = nonceClaims.confirmed(of, headBlock);
	const choice = chooseNonce(queue, { mined, pending }, { confirmed });
	switch (choice.kind) {
		case "nonce":
			nonceClaims.forget(of);
			return choice;
		case "in_doubt":
			return { kind: "wait", why: "in_doubt" };
		default: {
			nonceClaims.note(of, { mined, headBlock });
			const { ownCount } = queue;
			const counts = { ...of, mined, pending, ownCount, headBlock };
			log.warn("a node counts transactions of a wallet that we do not know of", counts);
			return { kind: "wait", why: "unproven" };
		}
	}
}
