// Serves one-time links (make, show, answer), and takes the hashes that owners name.

import { Elysia } from "elysia";
import { z } from "zod";
import { isWord } from "#core/chain/Hex.ts";
import { ANY_CASE_WORD_PATTERN } from "#core/chain/hexSchemas.ts";
import { dbFault } from "#core/db/Database.ts";
import { readBack } from "#core/db/migrate.ts";
import { Fault } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canFail } from "#core/http/routeMarks.ts";
import { documented } from "#plugins/wallets/documented.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { readBatch, readIntents } from "#plugins/wallets/intent/intentRow.ts";
import {
	askAgain,
	CONFIRM_IDLE_SECONDS,
	type LinkContext,
	linkFault,
	tokenParams,
} from "#plugins/wallets/link/createLinks.ts";
import {
	linkNamedSchema,
	linkOutcomeSchema,
	linkSchema,
	linkUsedSchema,
} from "#plugins/wallets/link/linkSchema.ts";
import { outcomeOf, readLinked, renderLink } from "#plugins/wallets/link/readLinked.ts";
import { linkToCancel, useLink } from "#plugins/wallets/link/useLink.ts";
import type { Intent } from "#plugins/wallets/model.ts";

const hash = (description: string) =>
	z
		.string()
		.max(66)
		.toLowerCase()
		.refine(isWord, "must be 32 bytes in hex")
		.meta({
			pattern: ANY_CASE_WORD_PATTERN,
			description,
			examples: [`0x${"5d".repeat(32)}`],
		});
const answerSchema = z.union([
	z
		.strictObject({ planHash: hash("The link's `planHash`: yes to exactly what it shows.") })
		.meta({ id: "LinkConfirmation", description: "Says yes to what a link shows." }),
	z
		.strictObject({ transactionHash: hash("The transaction that the owner's wallet sent.") })
		.meta({ id: "LinkSigned", description: "Tells which transaction the owner's wallet sent." }),
]);

const requestSchema = z
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

const namedSchema = z
	.object({
		intentId: z.uuid().meta({
			description: "An intent of yours.",
			examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
		}),
		transactionHash: hash("The transaction that your own wallet sent for it."),
	})
	.meta({ id: "TransactionNamed", description: "Which transaction was sent for an intent." });

const madeSchema = z
	.object({
		url: field.url("The link. It can be answered once.", "https://app.example.com/links/x7Zk"),
		expiresAt: field.time("Until when it can be answered."),
	})
	.meta({ id: "LinkMade", description: "A new one-time link." });

/** Serves one-time links: their questions, the answers to these, and what owners say they sent. */
export function linkRoutes(context: LinkContext) {
	return new Elysia({ prefix: "/v1" })
		.onBeforeHandle({ as: "scoped" }, ({ request }) => refuseForeign(request, context))
		.use(getLink(context))
		.use(getOutcome(context))
		.use(postLink(context))
		.use(postLinks(context))
		.use(nameTransaction(context));
}

/** Approves what a link showed, or reports the signed transaction. Works once. */
export function postLink(context: LinkContext) {
	return new Elysia().post(
		"/links/:token",
		async ({ params, body, request, set }) => {
			set.headers["cache-control"] = "no-store";
			requestContexts.get(request)?.keepOpen(CONFIRM_IDLE_SECONDS);
			const by = await signedInAs(request, context);
			const intents = await useLink(context, { token: params.token, answer: body, by });
			const asked = await readBack(() => askAgain(context.links, intents));
			return {
				intents: intents.map((intent) => {
					const { id } = intent;
					return { id, ...outcomeOf(context, intent), nextUrl: asked.get(id)?.url ?? null };
				}),
			};
		},
		{
			params: tokenParams,
			body: answerSchema,
			response: { 200: linkUsedSchema },
			detail: {
				operationId: "answerLink",
				tags: ["trading"],
				summary: "Answers a one-time link",
				description:
					"`planHash` says yes to exactly what the link shows; `transactionHash` tells the " +
					"transaction that the owner's own wallet sent: the payment, or its cancellation. Each link takes one answer. One that does " +
					"not fit (409 `plan_changed`, 422) uses nothing up.",
				...canFail(
					linkFault.notFound,
					httpFault.originNotAllowed,
					executionFault.planChanged,
					executionFault.transactionOther,
					executionFault.intentState,
					dbFault.outcomeUnknown,
				),
			},
		},
	);
}

/** Returns what a link asks. Reading does not use it up: previews and repeated reads are free. */
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
				...canFail(linkFault.notFound, httpFault.originNotAllowed),
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
				...canFail(linkFault.notFound, httpFault.originNotAllowed),
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
			async ({ principal, body, request, set }) => {
				const intent = await execution.read(body.intentId, principal.profile.id);
				if (!intent) throw linkFault.notFound({ public: "There is no such intent." });
				const asking = await execution.asking(intent);
				requireOwnPage(request, context, asking);
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
				body: requestSchema,
				response: { 201: madeSchema },
				detail: {
					operationId: "createLink",
					tags: ["trading"],
					summary: "Makes a new link to confirm, sign or cancel an intent of yours",
					description:
						"Links made before stay good until they run out. With `purpose: cancel`, by the link " +
						"your own wallet cancels what it sent; what the service sends it cancels itself. What a " +
						"program prepared is confirmed on a page of ours alone: other callers get 403.",
					security: [{ session: [] }],
					...canFail(
						linkFault.notFound,
						httpFault.originNotAllowed,
						linkFault.noQuestion,
						linkFault.linksTooMany,
						...documented.cancelFailures,
					),
				},
			},
		);
}

/** Throws as `Wallets.requireOwnPage` says: only browsers say which page asks. */
export function requireOwnPage(
	request: Request,
	context: Pick<LinkContext, "origins">,
	{ channel, status }: Pick<Intent, "channel" | "status">,
): void {
	if (channel !== "agent" || status !== "confirmation_required") return;
	if (context.origins.trusts(request, hostOf(request))) return;
	throw httpFault.originNotAllowed({
		public: "A program prepared this. Open its address in a browser where you are signed in.",
	});
}

/**
 * Throws `origin_not_allowed` (403) for a page that is not ours: a link is good for whoever has it,
 * also without cookies, so no other page may carry it here. Browsers name the page's origin, and
 * where they leave that out they say that the request crosses sites.
 */
function refuseForeign(request: Request, { origins }: Pick<LinkContext, "origins">): void {
	const isForeign = request.headers.has("origin")
		? !origins.trusts(request, hostOf(request))
		: request.headers.get("sec-fetch-site") === "cross-site";
	if (isForeign) throw httpFault.originNotAllowed();
}

function hostOf(request: Request): string {
	return requestContexts.get(request)?.target.host ?? new URL(request.url).host;
}

/** Returns the profile that is signed in; null without a session, and for one that ended. */
async function signedInAs(
	request: Request,
	{ authenticate }: Pick<LinkContext, "authenticate">,
): Promise<string | null> {
	try {
		return (await authenticate(request)).profile.id;
	} catch (error) {
		if (error instanceof Fault && error.status === 401) return null;
		throw error;
	}
}

/**
 * Takes the hash of what an owner's wallet sent, also in place of one that was reported before: a
 * wallet that replaces or speeds up a transaction gives it another hash. The chain decides what it
 * is.
 */
function nameTransaction(context: LinkContext) {
	const { authenticate, execution } = context;
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await authenticate(request) }))
		.post(
			"/trading/transactions",
			async ({ principal, body, set }) => {
				set.headers["cache-control"] = "no-store";
				const { intentId, transactionHash } = body;
				const own = await execution.read(intentId, principal.profile.id);
				if (!own) throw linkFault.notFound({ public: "There is no such intent." });
				const intent = await execution.signed(intentId, transactionHash);
				return { id: intent.id, ...outcomeOf(context, intent) };
			},
			{
				body: namedSchema,
				response: { 200: linkNamedSchema },
				detail: {
					operationId: "nameTransaction",
					tags: ["trading"],
					summary: "Names the transaction that your own wallet sent for an intent",
					description:
						"Also in place of a hash that was told before, as long as no node has shown that one: a " +
						"wallet that speeds a transaction up, or replaces it, gives it another hash. The chain " +
						"decides whether it is what was planned.",
					security: [{ session: [] }],
					...canFail(
						linkFault.notFound,
						executionFault.intentState,
						executionFault.transactionOther,
						dbFault.outcomeUnknown,
					),
				},
			},
		);
}
