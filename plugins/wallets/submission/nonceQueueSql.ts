import { hexToBytes } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { SqlValue, Tx } from "#core/db/Database.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { HeldNonce, NonceQueue } from "#plugins/wallets/submission/NonceQueue.ts";
import type { SubmissionPurpose, SubmissionState } from "#plugins/wallets/submission/Submission.ts";

/** More of one account in flight than nodes keep in their pools. */
const HELD_MAX = 2_000;
/** As nodes are believed (`core/chain/chainNumbers`): a row with another nonce is in quarantine. */
const NONCE_MAX = 2 ** 48 - 1;

/** As JSON keeps each; what is promised is in base units. */
type HeldTuple = [
	nonce: number,
	state: SubmissionState,
	purpose: SubmissionPurpose,
	promised: string,
	isFinal: boolean,
];
type HeldRow = HeldNonce & { promised: string };
/** What `columns` answer. */
export type QueueRow = {
	held: HeldTuple[] | null;
	sending: boolean;
	own: number | null;
	queued: string;
};

const usable = "nonce is not null and state not in ('queued', 'never', 'refused')";

/** How an account's nonce queue is read, alone or beside other things in one statement. */
export const nonceQueueSql = {
	/**
	 * Its values are four places from `$first` on. Each part answers from an index:
	 * `submission_nonce`, `submission_sending`, `submission_queued`. Of many rows the nonces that
	 * are held are answered in those that `isAsked` is true of: they can be long.
	 */
	columns(first: number, isAsked = "true"): string {
		const [chain, sender, fee, from] = [0, 1, 2, 3].map((n) => `$${first + n}`);
		const account = `chain_id = ${chain} and sender = ${sender}`;
		return `exists (
				select from wallets.submission where ${account} and state = 'sending'
			) as sending, (
				select nonce + 1 from wallets.submission
				where ${account} and ${usable} and nonce <= ${NONCE_MAX}
				order by nonce desc limit 1
			) as own, coalesce((
				select sum((i.plan->>'valueRaw')::numeric + coalesce(s.gas_limit, 0) * ${fee}::numeric)
				from wallets.submission s join wallets.intent i on i.id = s.intent_id
				where s.chain_id = ${chain} and s.sender = ${sender}
					and s.state = 'queued' and s.purpose = 'pay'
			), 0)::text as queued, case when ${isAsked} then (
				select json_agg(json_build_array(nonce, state, purpose, (
					coalesce((transaction->>'valueRaw')::numeric, 0) + coalesce(gas_limit, 0)
						* coalesce((transaction->>'maxFeePerGas')::numeric, 0)
				)::text, final_at is not null) order by nonce)
				from (
					select nonce, state, purpose, transaction, gas_limit, final_at
					from wallets.submission
					where ${account} and ${usable} and nonce between ${from} and ${NONCE_MAX}
					order by nonce limit ${HELD_MAX}
				) as held
			) end as held`;
	},

	values(
		{ chainId, from }: { chainId: number; from: Address },
		account: Pick<AccountState, "minedNonce" | "maxFeePerGas">,
	): SqlValue[] {
		return [chainId, hexToBytes(from), account.maxFeePerGas, account.minedNonce];
	},

	/** Without a row somebody may be sending: nothing is sent beside it. */
	read(row: QueueRow | undefined): NonceQueue {
		const tuples = row?.held ?? [];
		const held = tuples.map(([nonce, state, purpose, promised]): HeldRow => {
			return { nonce, state, purpose, promised };
		});
		return {
			isSending: row?.sending ?? true,
			held: held.map(({ nonce, state, purpose }) => ({ nonce, state, purpose })),
			finalCount: finalCountOf(tuples),
			ownCount: row?.own ?? null,
			promisedRaw: promisedOf(held) + BigInt(row?.queued ?? "0"),
		};
	},
};

/** After the highest nonce that is used for good, of those from the account's count on; else 0. */
function finalCountOf(held: readonly HeldTuple[]): number {
	const last = held.findLast(([, state, , , isFinal]) => {
		return isFinal && (state === "mined" || state === "reverted");
	});
	return last ? last[0] + 1 : 0;
}

/**
 * Of two that hold one nonce one is mined at most: the dearer counts. What we know as mined and the
 * node does not count yet is still in the balance that it names.
 */
function promisedOf(held: readonly HeldRow[]): bigint {
	const byNonce = new Map<number, bigint>();
	for (const { nonce, promised } of held) {
		const raw = BigInt(promised);
		if (raw > (byNonce.get(nonce) ?? -1n)) byNonce.set(nonce, raw);
	}
	return [...byNonce.values()].reduce((sum, raw) => sum + raw, 0n);
}

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
	const [row] = await tx.query<QueueRow>(
		`select ${nonceQueueSql.columns(1)}`,
		nonceQueueSql.values(of, account),
	);
	return nonceQueueSql.read(row);
}
