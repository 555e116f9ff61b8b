import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { CustodyTransaction } from "#plugins/wallets/custody/Custody.ts";
import type { Lane } from "#plugins/wallets/submission/readLane.ts";

/** What is about to be handed over, with what is kept of it. */
export type Beginning = {
	transaction: CustodyTransaction;
	/** The same as JSON. */
	stored: string;
	/** A block in which its nonce is free. */
	fromBlock: number;
	session: string;
	sentAt: Date;
	validUntil: Date;
};

export type BeginningAsked = {
	plan: Plan;
	gasLimit: bigint;
	account: AccountState;
	session: string;
	at: Date;
	validUntil: Date;
};

/**
 * Takes the next nonce of an account; null where its last one may or may not have left, or is
 * dropped: nothing follows that before it is known.
 */
export function beginningOf(lane: Lane, asked: BeginningAsked): Beginning | null {
	if (lane.isBusy) return null;
	const { plan, gasLimit, account, session, at, validUntil } = asked;
	const { chainId, from, to, valueRaw, data } = plan;
	const { maxFeePerGas, maxPriorityFeePerGas } = account;
	const nonce = Math.max(account.pendingNonce, lane.nextNonce);
	const fees = { maxFeePerGas, maxPriorityFeePerGas };
	return {
		transaction: { chainId, from, to, valueRaw, data, nonce, gasLimit, ...fees },
		stored: JSON.stringify({
			to,
			valueRaw: String(valueRaw),
			data,
			maxFeePerGas: String(maxFeePerGas),
			maxPriorityFeePerGas: String(maxPriorityFeePerGas),
		}),
		fromBlock: account.headBlock,
		session,
		sentAt: at,
		validUntil,
	};
}
