import { Elysia } from "elysia";
import { canFail } from "#core/http/canFail.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import type { LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import { linkSchema } from "#plugins/wallets/link/linkSchema.ts";
import { readLinked } from "#plugins/wallets/link/readLinked.ts";
import { renderLink } from "#plugins/wallets/link/renderLink.ts";
import { tokenParams } from "#plugins/wallets/link/tokenParams.ts";

/** What a link is about. Looking uses nothing up: previews and second looks are free. */
export function getLink(context: LinkContext) {
	return new Elysia().get(
		"/links/:token",
		async ({ params, set }) => {
			set.headers["cache-control"] = "no-store";
			const link = await context.links.look(params.token);
			const intents = await readLinked(context.deps.db, link);
			return renderLink(context, { link, intents });
		},
		{
			params: tokenParams,
			response: { 200: linkSchema },
			detail: {
				operationId: "getLink",
				tags: ["trading"],
				summary: "Reads what a one-time link is about",
				description:
					"Open to whoever has the link, and it stays unused. A used, expired or unknown link is " +
					"404.",
				...canFail(linkFault.notFound),
			},
		},
	);
}
