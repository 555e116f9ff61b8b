import type { Queryable } from "#core/db/Database.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { type IntentRow, intentRow } from "#plugins/wallets/intent/intentRow.ts";

/** Intents in the order of their ids here; those that are not there are left out. */
export async function readIntents(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
	const [only] = ids;
	// One is planned once for a connection; a list looks like ten, and is planned at each call.
	if (only !== undefined && ids.length === 1) return readIntent(db, only);
	const rows = await db.query<IntentRow>(
		`select ${intentRow.columns}
		from unnest($1::uuid[]) with ordinality as wanted (id, place)
		join wallets.intent i on i.id = wanted.id
		order by place`,
		[ids],
	);
	return rows.map(intentRow.read);
}

async function readIntent(db: Queryable, id: string): Promise<Intent[]> {
	const rows = await db.query<IntentRow>(
		`select ${intentRow.columns} from wallets.intent i where i.id = $1`,
		[id],
	);
	return rows.map(intentRow.read);
}
