// Serves trades: ask, quote, list, confirm, cancel, revoke.

import { Elysia } from "elysia";
import { z } from "zod";
import { isWord } from "#core/chain/Hex.ts";
import { WORD_PATTERN } from "#core/chain/hexSchemas.ts";
import { httpFault } from "#core/http/faults.ts";
import { CURSOR_PART, createCursor, pageQuery } from "#core/http/pages.ts";
import { exactNumbers, requestContexts } from "#core/http/requests.ts";
import { canCarry, canFail } from "#core/http/routeMarks.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import { ANSWER_IDLE_SECONDS, PAGE } from "#plugins/trading/limits.ts";
import type { Trades } from "#plugins/trading/trade/createTrades.ts";
import {
	quoteView,
	quoteViewSchema,
	revokeSchema,
	tradePageSchema,
	tradeSchema,
} from "#plugins/trading/trade/renderTrade.ts";
import { exactTradeMembers, tradeBody, wishOf } from "#plugins/trading/trade/tradeBody.ts";
import { type Principal, tradingDocumented, type Wallets } from "#plugins/wallets/contract.ts";

type TradeRoutesOptions = { trades: Trades; wallets: Pick<Wallets, "authenticate"> };

type Deps = TradeRoutesOptions & {
	signedIn(hook: { request: Request }): Promise<Principal>;
	transform(hook: { request: Request }): Promise<void>;
	/** Reads a body whose amounts keep their written digits. */
	readExact(hook: { request: Request }): Promise<unknown>;
};

const ROUTE = "POST /v1/trading/intents";
const security = [{ session: [] as string[] }];
const listQuery = z.object(pageQuery(PAGE));
const params = z.object({
	id: z.string().meta({
		description: "A trade of yours, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});
const confirmBody = z
	.strictObject({
		planHash: z
			.templateLiteral(["0x", z.string()])
			.refine((text) => isWord(text), "must be 32 bytes in hex")
			.optional()
			.meta({
				pattern: WORD_PATTERN,
				description: "The plan that is agreed to; the stored one unless given.",
				examples: [`0x${"5d".repeat(32)}`],
			}),
	})
	.nullish()
	.meta({ id: "TradeConfirmation", description: "A yes to a plan." });
const cursor = createCursor("trades1", [CURSOR_PART.uuid]);

/** Returns the routes of trades: request, quote, list, confirm, cancel, revoke. */
export function tradeRoutes(options: TradeRoutesOptions) {
	const asked = new WeakMap<Request, Promise<Principal>>();
	// Before the body is read: without a session a caller learns nothing about its form.
	const signedIn: Deps["signedIn"] = ({ request }) => {
		const principal = asked.get(request) ?? options.wallets.authenticate(request);
		asked.set(request, principal);
		return principal;
	};
	const read = exactNumbers(...exactTradeMembers);
	const deps: Deps = {
		...options,
		signedIn,
		transform: async (hook) => void (await signedIn(hook)),
		async readExact(hook) {
			await signedIn(hook);
			return read(hook);
		},
	};
	return new Elysia({ prefix: "/v1/trading" })
		.use(postTrade(deps))
		.use(postQuote(deps))
		.use(listRoute(deps))
		.use(showRoute(deps))
		.use(confirmRoute(deps))
		.use(cancelRoute(deps))
		.use(revokeRoute(deps));
}

function postTrade({ trades, signedIn, transform, readExact }: Deps) {
	return new Elysia().post(
		"/intents",
		async ({ request, body }) => {
			const { wish, command } = wishOf(body);
			const principal = await signedIn({ request });
			// If the answer were lost, the owner might trade once more.
			requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
			const idempotencyKey = request.headers.get("idempotency-key");
			return trades.ask({
				...{ principal, wish, command, walletId: body.walletId, route: ROUTE, idempotencyKey },
				...{ body, channel: "api", asks: false },
			});
		},
		{
			parse: [readExact, "json"],
			transform,
			body: tradeBody,
			response: { 201: tradeSchema },
			detail: {
				operationId: "createTrade",
				tags: ["trading"],
				summary: "Trades a stock token",
				description:
					"By a command's text, such as `buy $TSLA with 50 USDG`, or by its parsed form. Every " +
					"source is asked at the same time; the best answer that can be executed is taken, at " +
					"most an exact allowance and one swap are sent. What is refused answers 201 too, with " +
					"the trade `rejected`, its `errorCode`, and why in `error`. Send an `idempotency-key`, and " +
					"send the same one again where no answer came.",
				security,
				parameters: tradingDocumented.onceParameters,
				...canCarry(tradingDocumented.onceHeaders),
				...canFail(
					httpFault.unauthorized,
					tradeFault.commandInvalid,
					tradeFault.amountRequired,
					...tradingDocumented.onceFailures,
				),
			},
		},
	);
}

function postQuote({ trades, signedIn, transform, readExact }: Deps) {
	return new Elysia().post(
		"/quotes",
		async ({ request, body, set }) => {
			const { wish } = wishOf(body);
			const principal = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			return quoteView(await trades.quote({ principal, wish, walletId: body.walletId }));
		},
		{
			parse: [readExact, "json"],
			transform,
			body: tradeBody,
			response: { 200: quoteViewSchema },
			detail: {
				operationId: "estimateTrade",
				tags: ["trading"],
				summary: "Quotes a trade",
				description: "What it would give now. Nothing is stored, reserved or sent.",
				security,
				...canFail(httpFault.unauthorized, tradeFault.commandInvalid, tradeFault.amountRequired),
			},
		},
	);
}

function listRoute({ trades, signedIn, transform }: Deps) {
	return new Elysia().get(
		"/intents",
		async ({ request, query, set }) => {
			const { profile } = await signedIn({ request });
			const profileId = profile.id;
			const bound = cursor.of({ profileId });
			const [afterId = null] = query.cursor === undefined ? [] : bound.decode(query.cursor);
			const { items, nextId } = await trades.list({ profileId, afterId, limit: query.limit });
			set.headers["cache-control"] = "no-store";
			const nextCursor = nextId === null ? null : bound.encode([nextId]);
			return { data: items, page: { nextCursor, hasMore: nextCursor !== null } };
		},
		{
			transform,
			query: listQuery,
			response: { 200: tradePageSchema },
			detail: {
				operationId: "listTrades",
				tags: ["trading"],
				summary: "Lists your trades",
				description: "Newest first, also those that were refused.",
				security,
				...canFail(httpFault.unauthorized),
			},
		},
	);
}

function showRoute({ trades, signedIn, transform }: Deps) {
	return new Elysia().get(
		"/intents/:id",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			return trades.show(profile, idOf(params.id));
		},
		{
			...{ transform, params, response: { 200: tradeSchema } },
			detail: {
				operationId: "getTrade",
				tags: ["trading"],
				summary: "Reads a trade",
				description: "What was asked for, what every source said, and where it stands.",
				security,
				...canFail(httpFault.unauthorized, tradeFault.notFound),
			},
		},
	);
}

function confirmRoute({ trades, signedIn, transform }: Deps) {
	return new Elysia().post(
		"/intents/:id/confirm",
		async ({ request, params, body, set }) => {
			const { profile } = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			return trades.confirm(profile, idOf(params.id), { planHash: body?.planHash, request });
		},
		{
			parse: [async (hook) => (await signedIn(hook), noBody(hook)), "json"],
			...{ transform, params, body: confirmBody, response: { 200: tradeSchema } },
			detail: {
				operationId: "answerTrade",
				tags: ["trading"],
				summary: "Confirms a trade",
				description:
					"Says yes to the plan of `planHash`, or to the stored one. It is quoted anew, and sent " +
					"only within what was confirmed. What a program prepared is confirmed on a page of ours " +
					"alone: other callers get 403.",
				security,
				...canFail(
					httpFault.unauthorized,
					httpFault.originNotAllowed,
					tradeFault.notFound,
					tradeFault.tradeState,
					tradeFault.planChanged,
				),
			},
		},
	);
}

function cancelRoute({ trades, signedIn, transform }: Deps) {
	return new Elysia().post(
		"/intents/:id/cancel",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			set.headers["cache-control"] = "no-store";
			return trades.cancel(profile, idOf(params.id));
		},
		{
			...{ transform, params, response: { 200: tradeSchema } },
			detail: {
				operationId: "cancelTrade",
				tags: ["trading"],
				summary: "Cancels a trade",
				description: tradingDocumented.cancelDescription,
				security,
				...canFail(
					httpFault.unauthorized,
					tradeFault.notFound,
					tradeFault.tradeState,
					...tradingDocumented.cancelFailures,
				),
			},
		},
	);
}

function revokeRoute({ trades, signedIn, transform }: Deps) {
	return new Elysia().post(
		"/intents/:id/revoke",
		async ({ request, params }) => {
			const principal = await signedIn({ request });
			requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
			const idempotencyKey = request.headers.get("idempotency-key");
			const id = idOf(params.id);
			return trades.revoke(id, { principal, route: `${ROUTE}/${id}/revoke`, idempotencyKey });
		},
		{
			...{ transform, params, response: { 201: revokeSchema } },
			detail: {
				operationId: "cancelTradeAllowance",
				tags: ["trading"],
				summary: "Takes back what a trade left allowed",
				description:
					"Where the swap behind an allowance did not go, or spent less, `leftover` of the trade " +
					"says what the router may still take. This sets it to zero.",
				security,
				parameters: tradingDocumented.onceParameters,
				...canCarry(tradingDocumented.onceHeaders),
				...canFail(
					httpFault.unauthorized,
					tradeFault.notFound,
					tradeFault.tradeState,
					...tradingDocumented.onceFailures,
				),
			},
		},
	);
}

/** Returns an empty object where there is no body; undefined where one has to be read. */
function noBody({ request }: { request: Request }): object | undefined {
	const isEmpty = request.body === null || request.headers.get("content-length") === "0";
	return isEmpty ? {} : undefined;
}

/** Returns the id; throws `not_found` for a text that is no id. */
function idOf(text: string): string {
	const { data: id } = z.uuid().safeParse(text);
	if (id === undefined) throw tradeFault.notFound();
	return id.toLowerCase();
}
