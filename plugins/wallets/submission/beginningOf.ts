import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { CustodyTransaction } from "#plugins/wallets/custody/Custody.ts";

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
	plan: Pick<Plan, "chainId" | "from" | "to" | "valueRaw" | "data">;
	gasLimit: bigint;
	account: Pick<AccountState, "maxFeePerGas" | "maxPriorityFeePerGas" | "headBlock">;
	session: string;
	at: Date;
	validUntil: Date;
};

/** Puts together what is handed over under a nonce, and what is kept of it. */
export function beginningOf(nonce: number, asked: BeginningAsked): Beginning {
	const { plan, gasLimit, account, session, at, validUntil } = asked;
	const { chainId, from, to, valueRaw, data } = plan;
	const { maxFeePerGas, maxPriorityFeePerGas } = account;
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
