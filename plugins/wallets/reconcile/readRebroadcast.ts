import { bytesToHex, keccak256 } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { REBROADCAST } from "#plugins/wallets/control/controlRoutes.ts";
import { killDenial } from "#plugins/wallets/control/killDenial.ts";
import { settingRows } from "#plugins/wallets/control/sql/settingRows.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * The bytes of a dropped transaction, to be broadcast once more as they are. Null where no operator
 * switched that on, where they are not known or are not of the hash that stands for the intent, and
 * where nothing is sent at all: a dry run, an operator's switch.
 */
export async function readRebroadcast(
	deps: ExecutionDeps,
	tx: Tx,
	{ submission, intent }: { submission: Submission; intent: Intent },
): Promise<Hex | null> {
	const setting = await settingRows.read(tx, REBROADCAST);
	if (setting?.value !== true) return null;
	if (deps.settings.isDryRun || (await killDenial(deps, tx, intent))) return null;
	const rows = await tx.query<{ signed: Uint8Array | null; transaction_hash: Uint8Array | null }>(
		`select signed, transaction_hash from wallets.submission
		where id = $1 and state = 'dropped' and nonce is not null`,
		[submission.id],
	);
	const { signed, transaction_hash: hash } = rows[0] ?? {};
	if (!signed || !hash || keccak256(signed) !== bytesToHex(hash)) return null;
	return bytesToHex(signed);
}
