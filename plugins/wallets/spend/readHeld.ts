import type { Queryable } from "#core/db/Database.ts";
import type { Held } from "#plugins/wallets/contract.ts";
import type { IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";

type HeldRow = { id: string; status: IntentStatus; error_code: string | null; raw: string };

/**
 * Reads where intents stand and what each holds in the spend ledger, in base units: what was
 * reserved and neither released nor, after a release, reserved again. An intent that reserved
 * nothing yet holds zero.
 */
export async function readHeld(db: Queryable, intentIds: readonly string[]): Promise<Held[]> {
	const rows = await db.query<HeldRow>(
		`select i.id, i.status, i.error_code, coalesce((
			select sum(case e.kind
				when 'reserve' then e.amount_raw
				when 'release' then -e.amount_raw
				when 'unrelease' then e.amount_raw
				else 0
			end) from wallets.spend_entry e where e.intent_id = i.id
		), 0)::text as raw
		from wallets.intent i where i.id = any($1::uuid[])`,
		[intentIds],
	);
	return rows.map(({ id, status, error_code: errorCode, raw }) => {
		return { intentId: id, status, errorCode, raw: BigInt(raw) };
	});
}
