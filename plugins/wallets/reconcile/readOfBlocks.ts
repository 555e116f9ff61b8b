import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import { RECONCILE_ROWS_MAX } from "#plugins/wallets/reconcile/limits.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";

export type MinedBlock = { chainId: number; hash: Hex };

/**
 * Reads what is known to be mined in some blocks and is not final. Scans `submission_open`: a block
 * leaves the chain, or becomes final, once.
 */
export async function readOfBlocks(
	db: Queryable,
	blocks: readonly MinedBlock[],
): Promise<Submission[]> {
	const rows = await db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s
		where s.final_at is null and s.state in ('mined', 'reverted')
			and (s.chain_id, s.block_hash) in (select * from unnest($1::int8[], $2::bytea[]))
		order by s.look_at nulls first limit $3`,
		[
			blocks.map(({ chainId }) => chainId),
			blocks.map(({ hash }) => hexToBytes(hash)),
			RECONCILE_ROWS_MAX,
		],
	);
	return (await readRows(db, submissionRow, rows)).items;
}
