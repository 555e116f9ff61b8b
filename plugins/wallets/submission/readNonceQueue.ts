import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { HeldNonce, NonceQueue } from "#plugins/wallets/submission/NonceQueue.ts";

/** More of one account in flight than nodes keep in their pools. */
const HELD_MAX = 2_000;
/** As nodes are believed (`core/chain/chainNumbers`): a row with another nonce is in quarantine. */
const NONCE_MAX = 2 ** 48 - 1;

type HeldRow = HeldNonce & { promised: string };
type CountsRow = {
	sending: boolean;
	own: number | null;
	final: number;
	queued: string;
};

/**
 * Reads an account's nonce queue. Each part answers from an index: `submission_nonce`,
 * `submission_sending`, `submission_queued`. The caller holds the profile's row, so nobody else is
 * here. Both statements are sent together.
 *
 * What has a nonce below the node's own count is mined, and so in the balance already, whether we
 * have settled it or not.
 */
export async function readNonceQueue(
	tx: Tx,
	{ chainId, from }: Pick<Plan, "chainId" | "from">,
	account: Pick<AccountState, "minedNonce" | "maxFeePerGas">,
): Promise<NonceQueue> {
	const sender = hexToBytes(from);
	const [held, [counts]] = await Promise.all([
		tx.query<HeldRow>(
			`select nonce, state::text as state, purpose::text as purpose, (
					coalesce((transaction->>'valueRaw')::numeric, 0) + coalesce(gas_limit, 0)
						* coalesce((transaction->>'maxFeePerGas')::numeric, 0)
				)::text as promised
			from wallets.submission
			where chain_id = $1 and sender = $2 and nonce between $3 and ${NONCE_MAX}
				and nonce is not null and state not in ('queued', 'never', 'refused')
			order by nonce limit ${HELD_MAX}`,
			[chainId, sender, account.minedNonce],
		),
		tx.query<CountsRow>(
			`select exists (
					select from wallets.submission
					where chain_id = $1 and sender = $2 and state = 'sending'
				) as sending, (
					select nonce + 1 from wallets.submission
					where chain_id = $1 and sender = $2
						and nonce is not null and state not in ('queued', 'never', 'refused')
						and nonce <= ${NONCE_MAX}
					order by nonce desc limit 1
				) as own, coalesce((
					select nonce + 1 from wallets.submission
					where chain_id = $1 and sender = $2
						and nonce is not null and state not in ('queued', 'never', 'refused')
						and final_at is not null and state in ('mined', 'reverted')
						and nonce <= ${NONCE_MAX}
					order by nonce desc limit 1
				), 0) as final, coalesce((
					select sum((i.plan->>'valueRaw')::numeric + coalesce(s.gas_limit, 0) * $3::numeric)
					from wallets.submission s join wallets.intent i on i.id = s.intent_id
					where s.chain_id = $1 and s.sender = $2 and s.state = 'queued' and s.purpose = 'pay'
				), 0)::text as queued`,
			[chainId, sender, account.maxFeePerGas],
		),
	]);
	return {
		isSending: counts?.sending ?? true,
		held: held.map(({ nonce, state, purpose }) => ({ nonce, state, purpose })),
		finalCount: counts?.final ?? 0,
		ownCount: counts?.own ?? null,
		promisedRaw: promisedOf(held) + BigInt(counts?.queued ?? "0"),
	};
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
