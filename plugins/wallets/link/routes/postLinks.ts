import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { field } from "#core/http/openapi/field.ts";
import { tradingDocumented } from "#plugins/wallets/contract.ts";
import { askAgain } from "#plugins/wallets/link/askAgain.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import type { LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import { linkToCancel } from "#plugins/wallets/link/linkToCancel.ts";

const bodySchema = z
	.object({
		intentId: z.uuid().meta({
			description: "An intent of yours.",
			examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
		}),
		purpose: z.literal("cancel").optional().meta({
			description: "To cancel what your own wallet sent, instead of what you are asked now.",
		}),
	})
	.meta({ id: "LinkRequest", description: "Which intent a new link is to be for." });

const madeSchema = z
	.object({
		url: field.url("The link. It can be answered once.", "https://app.example.com/links/x7Zk"),
		expiresAt: field.time("Until when it can be answered."),
	})
	.meta({ id: "LinkMade", description: "A new one-time link." });

/** A new link to an open question of one's own: the first may be lost with its page. */
export function postLinks(context: LinkContext) {
	const { authenticate, execution, links, deps, ending } = context;
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await authenticate(request) }))
		.post(
			"/links",
			async ({ principal, body, set }) => {
				const intent = await execution.read(body.intentId, principal.profile.id);
				if (!intent) throw linkFault.notFound({ public: "There is no such intent." });
				const link =
					body.purpose === "cancel"
						? await linkToCancel(deps, links, {
								intentId: intent.id,
								profile: principal.profile,
								signal: ending,
							})
						: (await askAgain(links, [intent])).get(intent.id);
				if (!link) throw linkFault.noQuestion();
				set.status = 201;
				set.headers["cache-control"] = "no-store";
				return { url: link.url, expiresAt: new Date(link.expiresAtMs).toISOString() };
			},
			{
				body: bodySchema,
				response: { 201: madeSchema },
				detail: {
					operationId: "createLink",
					tags: ["trading"],
					summary: "Makes a new link to confirm, sign or cancel an intent of yours",
					description:
						"Links made before stay good until they run out. With `purpose: cancel`, by the link " +
						"your own wallet cancels what it sent; what the service sends it cancels itself.",
					security: [{ session: [] }],
					...canFail(
						linkFault.notFound,
						linkFault.noQuestion,
						linkFault.linksTooMany,
						...tradingDocumented.cancelFailures,
					),
				},
			},
		);
}
