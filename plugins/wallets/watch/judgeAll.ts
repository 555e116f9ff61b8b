import { hexToBytes } from "viem";
import type { Queryable } from "#core/db/Database.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { HeldNonce } from "#plugins/wallets/submission/NonceQueue.ts";
import { type QueueAccount, queueName } from "#plugins/wallets/watch/blockedQueues.ts";
import { judgeWait } from "#plugins/wallets/watch/judgeWait.ts";
import type { WaitingIntent } from "#plugins/wallets/watch/readWaiting.ts";
import { HELD_MAX, type WaitReason } from "#plugins/wallets/watch/WaitReason.ts";

const NONCE_MAX = 2 ** 48 - 1;

const HELD = `nonce is not null and state not in ('queued', 'never', 'refused')
	and nonce <= ${NONCE_MAX}`;

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

/**
 * Reads the nonces that accounts' transactions hold, each from the highest on that is mined: one
 * walk along `submission_nonce` to find that, and one from there, for each account. By `queueName`.
 */
export async function readHeldNonces(
	db: Queryable,
	accounts: readonly QueueAccount[],
): Promise<ReadonlyMap<string, readonly HeldNonce[]>> {
	if (accounts.length === 0) return new Map();
	const rows = await db.query<HeldNonce & { place: number }>(
		`select place, held.nonce, held.state::text as state, held.purpose::text as purpose
		from unnest($1::int8[], $2::bytea[]) with ordinality as own (chain_id, sender, place)
		cross join lateral (
			select nonce, state, purpose from wallets.submission
			where chain_id = own.chain_id and sender = own.sender and ${HELD}
				and nonce >= coalesce((
					select nonce from wallets.submission
					where chain_id = own.chain_id and sender = own.sender and ${HELD}
						and state in ('mined', 'reverted')
					order by nonce desc limit 1
				), 0)
			order by nonce limit ${HELD_MAX}
		) held
		order by place, held.nonce`,
		[accounts.map(({ chainId }) => chainId), accounts.map(({ sender }) => hexToBytes(sender))],
	);
	const found = new Map<string, HeldNonce[]>();
	for (const { place, nonce, state, purpose } of rows) {
		const account = accounts[place - 1];
		if (!account) continue;
		const name = queueName(account);
		const held = found.get(name) ?? [];
		held.push({ nonce, state, purpose });
		found.set(name, held);
	}
	return found;
}
