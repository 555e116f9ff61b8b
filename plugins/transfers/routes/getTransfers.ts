import { Elysia } from "elysia";
import { z } from "zod";
import { cursorParam } from "#core/http/cursorParam.ts";
import { TRANSFERS_PAGE, TRANSFERS_PAGE_MAX } from "#plugins/transfers/limits.ts";
import { renderTransfer } from "#plugins/transfers/renderTransfer.ts";
import type { TransfersContext } from "#plugins/transfers/routes/TransfersContext.ts";
import { TRANSFER } from "#plugins/transfers/transferKind.ts";
import { transferPageSchema } from "#plugins/transfers/transferSchema.ts";

const LIMIT = `must be a whole number from 1 to ${TRANSFERS_PAGE_MAX}`;
const querySchema = z.object({
	limit: z
		.string()
		.regex(/^[1-9][0-9]{0,3}$/, LIMIT)
		.transform(Number)
		.pipe(z.int().max(TRANSFERS_PAGE_MAX, LIMIT))
		.meta({
			type: "integer",
			minimum: 1,
			maximum: TRANSFERS_PAGE_MAX,
			description: `How many at most; ${TRANSFERS_PAGE} unless given.`,
			examples: [TRANSFERS_PAGE],
		})
		.default(TRANSFERS_PAGE),
	cursor: cursorParam(),
});

/** Lists the caller's transfers, newest first. */
export function getTransfers({ wallets, chains }: TransfersContext) {
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await wallets.authenticate(request) }))
		.get(
			"",
			async ({ principal, query, set }) => {
				const { profile } = principal;
				set.headers["cache-control"] = "no-store";
				const { limit, cursor } = query;
				const page = { kinds: [TRANSFER], limit, cursor };
				const { items, nextCursor } = await wallets.execution.list(profile.id, page);
				const given = { profile, chainOf: chains.byId };
				return {
					data: items.map((intent) => renderTransfer(intent, given)),
					page: { nextCursor, hasMore: nextCursor !== null },
				};
			},
			{
				query: querySchema,
				response: { 200: transferPageSchema },
				detail: {
					operationId: "listTransfers",
					tags: ["trading"],
					summary: "Lists your wallet transfers",
					description: "Newest first, also those that were refused.",
					security: [{ session: [] }],
				},
			},
		);
}
