import type { Queryable } from "#core/db/Database.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { judgeWait } from "#plugins/wallets/watch/judgeWait.ts";
import { type QueueAccount, queueName } from "#plugins/wallets/watch/queueName.ts";
import { readHeldNonces } from "#plugins/wallets/watch/readHeldNonces.ts";
import type { WaitingIntent } from "#plugins/wallets/watch/readWaiting.ts";
import type { WaitReason } from "#plugins/wallets/watch/WaitReason.ts";

export type JudgedIntent = WaitingIntent & { reason: WaitReason };

type JudgeDeps = Pick<ExecutionDeps, "nonceClaims"> & { db: Queryable };

/** Names what each of these waits for. Reads each account's nonces once, whatever waits there. */
export async function judgeAll(
	{ db, nonceClaims }: JudgeDeps,
	waiting: readonly WaitingIntent[],
	nowMs: number,
): Promise<JudgedIntent[]> {
	const accounts = new Map<string, QueueAccount>();
	for (const one of waiting) {
		const account = accountOf(one);
		if (account) accounts.set(queueName(account), account);
	}
	const held = await readHeldNonces(db, [...accounts.values()]);
	return waiting.map((one) => {
		const account = accountOf(one);
		const facts = {
			held: (account && held.get(queueName(account))) ?? [],
			isUnproven: account
				? nonceClaims.isClaimed({ chainId: account.chainId, from: account.sender })
				: false,
		};
		return { ...one, reason: judgeWait(one, facts, nowMs) };
	});
}

function accountOf({ chainId, sender }: WaitingIntent): QueueAccount | null {
	return chainId === null || sender === null ? null : { chainId, sender };
}
