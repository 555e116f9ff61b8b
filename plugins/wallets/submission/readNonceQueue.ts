import type { Tx } from "#core/db/Database.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { NonceQueue } from "#plugins/wallets/submission/NonceQueue.ts";
import { nonceQueueSql, type QueueRow } from "#plugins/wallets/submission/nonceQueueSql.ts";

const queueSql = `select ${nonceQueueSql.columns(1)}`;

/**
 * Reads an account's nonce queue. The caller holds the profile's row, so nobody else is here. One
 * statement: of two, each would be sent, bound and begun by itself.
 *
 * What has a nonce below the node's own count is mined, and so in the balance already, whether we
 * have settled it or not.
 */
export async function readNonceQueue(
	tx: Tx,
	of: Pick<Plan, "chainId" | "from">,
	account: Pick<AccountState, "minedNonce" | "maxFeePerGas">,
): Promise<NonceQueue> {
	const [row] = await tx.query<QueueRow>(queueSql, nonceQueueSql.values(of, account));
	return nonceQueueSql.read(row);
}
