import type { Queryable } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { type IntentRow, intentRow } from "#plugins/wallets/intent/intentRow.ts";

/** Milliseconds that a Date can hold, and a UUID: all else would be an error of the database. */
const CURSOR = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const message = "is no cursor of this list";
const CURSOR_INVALID = {
	public: `The query is not valid (cursor): ${message}`,
	members: { issues: [{ path: "cursor", message }] },
};

/** A profile's intents, newest first, along the index `intent_profile`. */
export async function listIntents(
	db: Queryable,
	asked: {
		profileId: string;
		kinds?: readonly string[];
		limit: number;
		cursor?: string | undefined;
	},
): Promise<{ items: Intent[]; nextCursor: string | null }> {
	const place = asked.cursor === undefined ? [] : CURSOR.exec(asked.cursor);
	// A cursor that is misread would answer a page that silently begins elsewhere.
	if (!place) throw executionFault.validationError(CURSOR_INVALID);
	const [, afterMs, afterId] = place;
	const rows = await db.query<IntentRow>(
		`select ${intentRow.columns} from wallets.intent i
		where profile_id = $1 and ($2::text[] is null or kind = any($2))
			and ($3::timestamptz is null or (created_at, id) < ($3, $4::uuid))
			and isfinite(created_at)
		order by created_at desc, id desc limit $5`,
		[
			asked.profileId,
			asked.kinds ?? null,
			afterMs === undefined ? null : new Date(Number(afterMs)),
			afterId ?? null,
			asked.limit + 1,
		],
	);
	const shown = rows.slice(0, asked.limit);
	// What cannot be read is left out of its page, and keeps nobody from the pages behind it.
	const { items } = await readRows(db, intentRow, shown);
	const last = shown.at(-1);
	const hasMore = rows.length > asked.limit && last;
	return { items, nextCursor: hasMore ? `${last.created_at.getTime()}_${last.id}` : null };
}
