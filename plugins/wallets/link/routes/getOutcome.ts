import { Elysia } from "elysia";
import { canFail } from "#core/http/canFail.ts";
import { readBatch } from "#plugins/wallets/intent/readBatch.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import type { LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import { linkOutcomeSchema } from "#plugins/wallets/link/linkSchema.ts";
import { outcomeOf } from "#plugins/wallets/link/outcomeOf.ts";
import { tokenParams } from "#plugins/wallets/link/tokenParams.ts";

/** What became of a link's question. A used link is no way in any more, and still says this. */
export function getOutcome(context: LinkContext) {
	return new Elysia().get(
		"/links/:token/outcome",
		async ({ params, set }) => {
			set.headers["cache-control"] = "no-store";
			const { db } = context.deps;
			const link = await context.links.recall(params.token);
			const [intent] = link ? await readIntents(db, [link.intentId]) : [];
			if (!link || !intent) throw linkFault.notFound();
			const intents = link.purpose === "confirm" ? await readBatch(db, intent) : [intent];
			return { intents: intents.map((one) => outcomeOf(context, one)) };
		},
		{
			params: tokenParams,
			response: { 200: linkOutcomeSchema },
			detail: {
				operationId: "getLinkOutcome",
				tags: ["trading"],
				summary: "Reads what became of a one-time link",
				description:
					"State and transaction of what it asked about, also once it is used or has run out, for " +
					"a day. Open to whoever has the link; nothing can be answered by it.",
				...canFail(linkFault.notFound),
			},
		},
	);
}
