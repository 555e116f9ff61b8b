import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { Plan } from "#plugins/wallets/contract.ts";

/** An account's line: whether its last one is in doubt, and the nonce after all of ours. */
export type Lane = { isBusy: boolean; nextNonce: number };

/**
 * Each part answers from an index's end: `submission_lane`, `submission_dropped`,
 * `submission_nonce`. The caller holds the profile's row, so nobody else is here.
 */
export async function readLane(tx: Tx, plan: Pick<Plan, "chainId" | "from">): Promise<Lane> {
	const rows = await tx.query<{ busy: boolean; next: number }>(
		`select exists (
				select from wallets.submission
				where chain_id = $1 and sender = $2 and state in ('sending', 'doubtful')
			) or exists (
				select from wallets.submission
				where chain_id = $1 and sender = $2 and state = 'dropped'
			) as busy,
			coalesce((
				select nonce + 1 from wallets.submission
				where chain_id = $1 and sender = $2 and nonce is not null and state <> 'never'
				order by nonce desc limit 1
			), 0) as next`,
		[plan.chainId, hexToBytes(plan.from)],
	);
	return { isBusy: rows[0]?.busy ?? true, nextNonce: rows[0]?.next ?? 0 };
}
