// Serves the routes of bridges: create, list, read, quote anew, cancel, revoke, report a hash.

import { Elysia } from "elysia";
import { z } from "zod";
import { ANY_CASE_WORD_PATTERN, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { CURSOR_PART, createCursor, pageQuery } from "#core/http/pages.ts";
import { exactNumbers, requestContexts } from "#core/http/requests.ts";
import { canCarry, canFail } from "#core/http/routeMarks.ts";
import { bridgeBody, requestOf } from "#plugins/bridge/bridges/bridgeBody.ts";
import type { Bridges } from "#plugins/bridge/bridges/createBridges.ts";
import {
	bridgePageSchema,
	bridgeSchema,
	quotedStepSchema,
	renderSteps,
	timelineSchema,
} from "#plugins/bridge/bridges/renderBridge.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { ANSWER_IDLE_SECONDS, PAGE_DEFAULT, PAGE_MAX } from "#plugins/bridge/limits.ts";
import { relayFault } from "#plugins/bridge/relay/createRelayClient.ts";
import { type SignedIn, tradingDocumented } from "#plugins/wallets/contract.ts";

const tags = ["bridging"];
const security = [{ session: [] as string[] }];
const listQuery = z.object(pageQuery({ default: PAGE_DEFAULT, max: PAGE_MAX }));
const params = z.object({
	id: z.string().meta({
		description: "A bridge of yours, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});
const quoteSchema = z
	.object({
		requestId: field.hashText("The provider's id of the request."),
		orderId: field.hashText("The order that is deposited for."),
		order: z.record(z.string(), z.unknown()).meta({ description: "The order, as it was signed." }),
		orderSignature: z.string().meta({ description: "The solver's.", examples: ["0x16ed"] }),
		steps: z.array(quotedStepSchema).meta({ description: "What is sent, in this order." }),
		expiresAt: field.time("Until when the deposit must be on chain."),
	})
	.meta({ id: "BridgeStoredQuote", description: "The quote as it was stored." });
const resultBody = z
	.strictObject({
		transactionHash: z
			.string()
			.regex(new RegExp(ANY_CASE_WORD_PATTERN))
			.meta({ description: "Hash of the transaction.", examples: [`0x${"5d".repeat(32)}`] }),
	})
	.meta({ id: "BridgeStepResult", description: "A transaction of a bridge, as it was sent." });
const cursor = createCursor("bridges1", [CURSOR_PART.uuid]);

type Deps = { bridges: Bridges; signedIn: SignedIn };
type Hook = { request: Request };
type Told = { request: Request; params: { id: string }; body: { transactionHash: string } };

/** Returns the routes by which people make, read and change their own bridges. */
export function intentRoutes(deps: Deps) {
	return new Elysia({ prefix: "/intents" })
		.use(postIntent(deps))
		.use(readIntents(deps))
		.use(storedQuote(deps))
		.use(timeline(deps))
		.use(requote(deps))
		.use(cancel(deps))
		.use(revoke(deps))
		.use(results(deps));
}

function postIntent({ bridges, signedIn }: Deps) {
	const read = exactNumbers("amount");
	return new Elysia().post(
		"",
		async ({ request, body }) => {
			const principal = await signedIn({ request });
			const asked = requestOf(body);
			requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
			const idempotencyKey = request.headers.get("idempotency-key");
			return bridges.create({
				...{ principal, request: asked, idempotencyKey, channel: "api", asks: false },
				route: "POST /v1/bridges/intents",
			});
		},
		{
			parse: [
				async (hook) => {
					await signedIn(hook);
					return read(hook);
				},
				"json",
			],
			transform: async (hook: Hook) => void (await signedIn(hook)),
			body: bridgeBody,
			response: { 201: bridgeSchema },
			detail: {
				...{
					operationId: "createBridge",
					tags,
					security,
					summary: "Bridges money to another chain",
				},
				description:
					"Quotes the route, checks the quote against what was asked for, stores it with every step, " +
					"and deposits from a delegated wallet; an owner's own wallet signs each step by `signUrl`, " +
					"or sends `steps` in their order and tells their hashes. What is refused is answered 201 as `rejected` with " +
					"its `errorCode`, and nothing was sent. With an `idempotency-key` header a retry bridges " +
					"nothing twice.",
				parameters: tradingDocumented.onceParameters,
				...canCarry(tradingDocumented.onceHeaders),
				...canFail(
					httpFault.unauthorized,
					bridgeFault.bridgesTooMany,
					bridgeFault.validationError,
					...tradingDocumented.onceFailures,
				),
			},
		},
	);
}

function readIntents({ bridges, signedIn }: Deps) {
	const transform = async (hook: Hook) => void (await signedIn(hook));
	return new Elysia()
		.get(
			"",
			async ({ request, query, set }) => {
				const { profile } = await signedIn({ request });
				const { limit } = query;
				const cursors = cursor.of({ profile: profile.id });
				const [afterId = null] = query.cursor === undefined ? [] : cursors.decode(query.cursor);
				const { items, nextId } = await bridges.list({ profileId: profile.id, afterId, limit });
				set.headers["cache-control"] = "no-store";
				const nextCursor = nextId === null ? null : cursors.encode([nextId]);
				return { data: items, page: { nextCursor, hasMore: nextId !== null } };
			},
			{
				...{ transform, query: listQuery, response: { 200: bridgePageSchema } },
				detail: {
					...{ operationId: "listBridges", tags, security, summary: "Lists your bridges" },
					...{
						description: "Newest first, also those at an end.",
						...canFail(httpFault.unauthorized),
					},
				},
			},
		)
		.get(
			"/:id",
			async ({ request, params, set }) => {
				const { profile } = await signedIn({ request });
				set.headers["cache-control"] = "no-store";
				return bridges.view(profile.id, idOf(params.id));
			},
			{
				...{ transform, params, response: { 200: bridgeSchema } },
				detail: {
					...{ operationId: "getBridge", tags, security, summary: "Says where the money is" },
					description: "With its quote, its steps, and what both chains say.",
					...canFail(httpFault.unauthorized, bridgeFault.notFound),
				},
			},
		);
}

function storedQuote({ bridges, signedIn }: Deps) {
	return new Elysia().get(
		"/:id/sdk-quote",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			const bridge = await bridges.own(profile.id, idOf(params.id));
			const quote = await bridges.quoteOf(bridge);
			if (!quote) throw bridgeFault.quoteMissing();
			const { requestId, orderId, told } = quote;
			return {
				...{ requestId, orderId, order: told.order, orderSignature: told.orderSignature },
				steps: renderSteps(quote),
				expiresAt: new Date(quote.deadlineMs).toISOString(),
			};
		},
		{
			transform: async (hook: Hook) => void (await signedIn(hook)),
			...{ params, response: { 200: quoteSchema } },
			detail: {
				...{ operationId: "getBridgeQuote", tags, security, summary: "Reads the stored quote" },
				description: "As it was checked and stored before anything was executed.",
				...canFail(httpFault.unauthorized, bridgeFault.notFound, bridgeFault.quoteMissing),
			},
		},
	);
}

function timeline({ bridges, signedIn }: Deps) {
	return new Elysia().get(
		"/:id/moves",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			return { moves: await bridges.moves(profile.id, idOf(params.id)) };
		},
		{
			transform: async (hook: Hook) => void (await signedIn(hook)),
			...{ params, response: { 200: timelineSchema } },
			detail: {
				...{ operationId: "listBridgeMoves", tags, security, summary: "Tells a bridge's timeline" },
				description:
					"Each change of its status and each new word of the provider's, with both transactions, " +
					"and whose node showed them.",
				...canFail(httpFault.unauthorized, bridgeFault.notFound),
			},
		},
	);
}

function cancel({ bridges, signedIn }: Deps) {
	return new Elysia().post(
		"/:id/cancel",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
			set.headers["cache-control"] = "no-store";
			return bridges.cancel(profile.id, idOf(params.id));
		},
		{
			transform: async (hook: Hook) => void (await signedIn(hook)),
			...{ params, response: { 200: bridgeSchema } },
			detail: {
				...{ operationId: "cancelOwnBridge", tags, security, summary: "Calls a bridge off" },
				description:
					"As long as its deposit was not sent: it is `rejected` as `cancelled`, or `failure` where " +
					"an allowance was sent, which can be taken back. What an owner's own wallet signs all the " +
					"same is looked for, for a day.",
				...canFail(httpFault.unauthorized, bridgeFault.notFound, bridgeFault.bridgeState),
			},
		},
	);
}

function requote({ bridges, signedIn }: Deps) {
	return new Elysia().post(
		"/:id/requote",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			return bridges.requote(profile.id, idOf(params.id));
		},
		{
			transform: async (hook: Hook) => void (await signedIn(hook)),
			...{ params, response: { 200: bridgeSchema } },
			detail: {
				...{ operationId: "updateBridgeQuote", tags, security, summary: "Quotes a bridge anew" },
				description:
					"For the same route. Refused once a step was sent, or recorded to be sent. What an " +
					"owner's own wallet was asked to sign is called off, and asked for anew.",
				...canFail(
					...[httpFault.unauthorized, bridgeFault.notFound, bridgeFault.requoteAfterSubmission],
					...[bridgeFault.bridgeState, bridgeFault.quoteMissing, relayFault.unavailable],
					...[relayFault.unreadable, relayFault.rateLimited],
				),
			},
		},
	);
}

function revoke({ bridges, signedIn }: Deps) {
	return new Elysia().post(
		"/:id/revoke",
		async ({ request, params }) => {
			const principal = await signedIn({ request });
			requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
			const idempotencyKey = request.headers.get("idempotency-key");
			return bridges.revoke(principal, idOf(params.id), idempotencyKey);
		},
		{
			transform: async (hook: Hook) => void (await signedIn(hook)),
			...{ params, response: { 202: bridgeSchema } },
			detail: {
				...{ operationId: "cancelBridgeAllowance", tags, security },
				summary: "Takes back an allowance that is left over",
				description: "Of a bridge that failed between its allowance and its deposit.",
				parameters: tradingDocumented.onceParameters,
				...canCarry(tradingDocumented.onceHeaders),
				...canFail(
					...[httpFault.unauthorized, bridgeFault.notFound, bridgeFault.bridgeState],
					...tradingDocumented.onceFailures,
				),
			},
		},
	);
}

/**
 * Returns the routes that take hashes from a wallet that signs by itself. Both accept the hash of
 * each step; the provider's SDK uses the second one to report its steps when it ends.
 */
function results({ bridges, signedIn }: Deps) {
	const options = (operationId: string, summary: string) => ({
		transform: async (hook: Hook) => void (await signedIn(hook)),
		...{ params, body: resultBody, response: { 200: bridgeSchema } },
		detail: {
			...{ operationId, tags, security, summary },
			description:
				"A hash counts once the origin chain shows it as the step that is asked for: sender, chain, " +
				"what is called, value and calldata. One that was taken before changes nothing, and one of " +
				"somebody else's is refused. Steps of a delegated wallet are sent by this service.",
			...canFail(
				...[httpFault.unauthorized, bridgeFault.notFound, bridgeFault.stepResultForeign],
				...[bridgeFault.stepResultUnseen, bridgeFault.chainUnreadable],
			),
		},
	});
	const take = async ({ request, params, body }: Told) => {
		const principal = await signedIn({ request });
		requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
		const hash = anyCaseWordSchema.parse(body.transactionHash);
		return bridges.takeResult(principal, idOf(params.id), hash);
	};
	return new Elysia()
		.post("/:id/step-results", take, options("answerBridgeStep", "Tells the transaction of a step"))
		.post(
			"/:id/sdk-result",
			take,
			options("answerBridgeResult", "Tells the transaction of a bridge's end"),
		);
}

/** Returns the id in a path; what is no id is answered as not found. */
function idOf(text: string): string {
	const { data } = z.uuid().safeParse(text);
	if (data === undefined) throw bridgeFault.notFound();
	return data.toLowerCase();
}
