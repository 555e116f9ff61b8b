import type { Queryable } from "#core/db/Database.ts";
import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { type IntentRow, intentRow } from "#plugins/wallets/intent/intentRow.ts";

const cursors = createCursor("intents2", [CURSOR_PART.millis, CURSOR_PART.uuid]);

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
	const { profileId, kinds, cursor } = asked;
	const bound = cursors.of({ profileId, kinds: kinds && [...kinds].sort().join(",") });
	const [afterMs, afterId] = cursor === undefined ? [] : bound.decode(cursor);
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
	const nextCursor = hasMore ? bound.encode([`${last.created_at.getTime()}`, last.id]) : null;
	return { items, nextCursor };
}
