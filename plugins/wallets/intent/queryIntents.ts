import type { Queryable } from "#core/db/Database.ts";
import { type IntentRow, intentRow } from "#plugins/wallets/intent/intentRow.ts";

/** Rows of intents in the order of their ids here, as they are stored. */
export async function queryIntents(db: Queryable, ids: readonly string[]): Promise<IntentRow[]> {
	const [only] = ids;
	// One is planned once for a connection; a list looks like ten, and is planned at each call.
	if (only !== undefined && ids.length === 1) {
		return db.query<IntentRow>(
			`select ${intentRow.columns} from wallets.intent i where i.id = $1`,
			[only],
		);
	}
	return db.query<IntentRow>(
		`select ${intentRow.columns}
		from unnest($1::uuid[]) with ordinality as wanted (id, place)
		join wallets.intent i on i.id = wanted.id
		order by place`,
		[ids],
	);
}
