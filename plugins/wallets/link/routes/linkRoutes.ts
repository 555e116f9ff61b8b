import { Elysia } from "elysia";
import { z } from "zod";
import { canFail } from "#core/http/canFail.ts";
import { field } from "#core/http/openapi/field.ts";
import { tradingDocumented } from "#plugins/wallets/contract.ts";
import { readBatch, readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { linkToCancel } from "#plugins/wallets/link/cancelForOwner.ts";
import { askAgain } from "#plugins/wallets/link/createLinks.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import { type LinkContext, tokenParams } from "#plugins/wallets/link/LinkContext.ts";
import { linkOutcomeSchema, linkSchema } from "#plugins/wallets/link/linkSchema.ts";
import { outcomeOf, readLinked } from "#plugins/wallets/link/readLinked.ts";
import { renderLink } from "#plugins/wallets/link/renderLink.ts";
import { postLink } from "#plugins/wallets/link/routes/postLink.ts";

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

/** Serves one-time links: their questions, and the answers to these. */
export function linkRoutes(context: LinkContext) {
	return new Elysia({ prefix: "/v1" })
		.use(getLink(context))
		.use(getOutcome(context))
		.use(postLink(context))
		.use(postLinks(context));
}

/** Answers what a link is about. Looking uses nothing up: previews and second looks are free. */
function getLink(context: LinkContext) {
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

/** Answers what became of a link's question. A used link is no way in, and still says this. */
function getOutcome(context: LinkContext) {
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

/** Makes a new link to an open question of one's own: the first may be lost with its page. */
function postLinks(context: LinkContext) {
	const { authenticate, execution, links, deps, ending } = context;
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await authenticate(request) }))
		.post(
			"/links",
			async ({ principal, body, set }) => {
				const intent = await execution.read(body.intentId, principal.profile.id);
				if (!intent) throw linkFault.notFound({ public: "There is no such intent." });
				const asking = await execution.asking(intent);
				const link =
					body.purpose === "cancel"
						? await linkToCancel(deps, links, {
								intentId: intent.id,
								profile: principal.profile,
								signal: ending,
							})
						: (await askAgain(links, [asking])).get(asking.id);
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
