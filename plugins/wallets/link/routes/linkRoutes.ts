import { Elysia } from "elysia";
import type { LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import { getLink } from "#plugins/wallets/link/routes/getLink.ts";
import { getOutcome } from "#plugins/wallets/link/routes/getOutcome.ts";
import { linkPageRoutes } from "#plugins/wallets/link/routes/linkPageRoutes.ts";
import { postLink } from "#plugins/wallets/link/routes/postLink.ts";
import { postLinks } from "#plugins/wallets/link/routes/postLinks.ts";

/** One-time links: the questions, the answers, and the page that asks. */
export function linkRoutes(context: LinkContext) {
	const v1 = new Elysia({ prefix: "/v1" })
		.use(getLink(context))
		.use(getOutcome(context))
		.use(postLink(context))
		.use(postLinks(context));
	return new Elysia().use(v1).use(linkPageRoutes());
}
