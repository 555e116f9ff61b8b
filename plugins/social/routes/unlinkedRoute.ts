// Serves the operators' route about commands without a profile.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Queryable } from "#core/db/Database.ts";
import { field } from "#core/http/openapi/schema.ts";
import { CURSOR_PART, createCursor, pageQuery, pageSchema } from "#core/http/pages.ts";
import { listUnlinked } from "#plugins/social/sql/replies.ts";

const unlinkedSchema = z
	.object({
		data: z
			.array(
				z
					.object({
						eventId: field.text("What was written.", "post:1993400000000000000"),
						authorId: field.text("X's id of who wrote it.", "2244994945"),
						command: field.text("As it was understood.", "send 1 eth to 0x…"),
						reason: field.text("Why nothing was recorded to be done.", "no_profile"),
						at: field.time("When it was read."),
					})
					.meta({ id: "UnlinkedTrade", description: "A command of somebody without a profile." }),
			)
			.meta({ description: "Newest first." }),
		page: pageSchema,
	})
	.meta({ id: "UnlinkedTradePage", description: "Commands of authors who are not linked." });

const PAGE = 50;
const PAGE_MAX = 200;
const listQuery = z.object(pageQuery({ default: PAGE, max: PAGE_MAX }));
const cursors = createCursor("unlinked1", [CURSOR_PART.millis, CURSOR_PART.text]).of({});

/** Returns the route that lists them; its parent authenticates the operator. */
export function unlinkedRoute(db: Queryable) {
	return new Elysia().get(
		"/unlinked-trades",
		async ({ query: { limit, cursor } }) => {
			const rows = await listUnlinked(db, { limit: limit + 1, after: placeOf(cursor) });
			const data = rows.slice(0, limit).map((row) => ({ ...row, at: row.at.toISOString() }));
			const last = rows.length > limit ? rows[limit - 1] : undefined;
			const nextCursor = last
				? cursors.encode([String(last.at.getTime()), Buffer.from(last.eventId).toString("hex")])
				: null;
			return { data, page: { nextCursor, hasMore: nextCursor !== null } };
		},
		{
			query: listQuery,
			response: { 200: unlinkedSchema },
			detail: {
				...{ tags: ["admin"], security: [{ admin: [] }] },
				operationId: "listUnlinkedTrades",
				summary: "Lists commands of authors without a profile",
				description:
					"What somebody wanted to be done whose account no profile is linked to. Kept for 90 " +
					"days; nothing was done, and nothing will be.",
			},
		},
	);
}

function placeOf(cursor: string | undefined): { at: Date; eventId: string } | null {
	if (cursor === undefined) return null;
	const [ms = "0", id = ""] = cursors.decode(cursor);
	return { at: new Date(Number(ms)), eventId: Buffer.from(id, "hex").toString("utf8") };
}
