// Serves wallet transfers: send, list, read and cancel.

import { Elysia } from "elysia";
import { z } from "zod";
import { pageQuery } from "#core/http/pages.ts";
import { exactNumbers, requestContexts } from "#core/http/requests.ts";
import { canCarry, canFail } from "#core/http/routeMarks.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import {
	ownTransfer,
	sendTransfers,
	type TransfersContext,
} from "#plugins/transfers/sendTransfers.ts";
import {
	ADDRESS_LENGTH_MAX,
	AMOUNT_LENGTH_MAX,
	ANSWER_IDLE_SECONDS,
	RECIPIENTS_MAX,
	TRANSFER,
	TRANSFERS_PAGE,
	TRANSFERS_PAGE_MAX,
} from "#plugins/transfers/transferKind.ts";
import {
	createdTransfersSchema,
	renderTransfer,
	transferPageSchema,
	transferParams,
	transferSchema,
} from "#plugins/transfers/transferSchema.ts";
import { createSignedIn, tradingDocumented } from "#plugins/wallets/contract.ts";

const querySchema = z.object(pageQuery({ default: TRANSFERS_PAGE, max: TRANSFERS_PAGE_MAX }));

const ROUTE = "POST /v1/trading/wallet-transfers";

// Strict: ignoring an unknown member (a token, a memo) would send something else than was meant.
const bodySchema = z
	.strictObject({
		fromWalletId: z
			.string()
			.min(1)
			.max(64)
			.meta({
				description: "Which of your wallets it leaves, by its id.",
				examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
			}),
		recipients: z
			.array(z.string().max(ADDRESS_LENGTH_MAX))
			.min(1)
			.max(RECIPIENTS_MAX)
			.meta({
				description: "Addresses; each gets the amount, none stands there twice.",
				examples: [["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"]],
			}),
		amount: z
			.string()
			.max(AMOUNT_LENGTH_MAX)
			.meta({
				description: "In whole coins of `currency`, for each recipient: a plain decimal.",
				examples: ["0.05"],
			}),
		currency: z
			.string()
			.max(ADDRESS_LENGTH_MAX)
			.optional()
			.meta({
				description: "ETH, or an ERC-20 token by its contract's address; ETH unless given.",
				examples: ["ETH"],
			}),
		chain: z
			.string()
			.max(64)
			.optional()
			.meta({
				description: "By slug or id; the one where the wallet was linked unless given.",
				examples: ["ethereum"],
			}),
	})
	.meta({ id: "TransferRequest", description: "An amount, and who gets it." });

/** Returns the routes of wallet transfers. */
export function transferRoutes(context: TransfersContext) {
	return new Elysia({ prefix: "/v1/trading/wallet-transfers" })
		.use(postTransfers(context))
		.use(getTransfers(context))
		.use(getTransfer(context))
		.use(postCancel(context));
}

/** Shows one transfer. Another profile's is the same 404 as a missing one. */
export function getTransfer({ wallets, chains }: TransfersContext) {
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await wallets.authenticate(request) }))
		.get(
			"/:id",
			async ({ principal, params, set }) => {
				const { profile } = principal;
				set.headers["cache-control"] = "no-store";
				const intent = await ownTransfer(wallets, { id: params.id, profileId: profile.id });
				return renderTransfer(intent, { profile, chainOf: chains.byId });
			},
			{
				params: transferParams,
				response: { 200: transferSchema },
				detail: {
					operationId: "getTransfer",
					tags: ["trading"],
					summary: "Reads one of your wallet transfers",
					description: "Where it stands, with its transaction once it was sent.",
					security: [{ session: [] }],
					...canFail(transfersFault.notFound),
				},
			},
		);
}

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

/** Cancels one of the caller's transfers. No operator's switch prevents that. */
export function postCancel({ wallets, chains, ending }: TransfersContext) {
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await wallets.authenticate(request) }))
		.post(
			"/:id/cancel",
			async ({ principal, params, set }) => {
				const { profile } = principal;
				set.headers["cache-control"] = "no-store";
				const own = await ownTransfer(wallets, { id: params.id, profileId: profile.id });
				const by = { profile, signal: ending };
				const { intent, cancelUrl } = await wallets.cancel(own.id, by);
				return renderTransfer(intent, { profile, chainOf: chains.byId, cancelUrl });
			},
			{
				params: transferParams,
				response: { 200: transferSchema },
				detail: {
					operationId: "cancelTransfer",
					tags: ["trading"],
					summary: "Cancels a wallet transfer",
					description:
						`${tradingDocumented.cancelDescription} Of a batch of which nothing was sent, nothing ` +
						"is sent any more: it goes whole or not at all.",
					security: [{ session: [] }],
					...canFail(transfersFault.notFound, ...tradingDocumented.cancelFailures),
				},
			},
		);
}

/** Sends ETH or a token to one recipient or to many. */
export function postTransfers(context: TransfersContext) {
	const signedIn = createSignedIn(context.wallets);
	const read = exactNumbers("amount");
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await signedIn({ request }) }))
		.post(
			"",
			async ({ principal, body, request }) => {
				const idempotencyKey = request.headers.get("idempotency-key");
				const asked = { route: ROUTE, channel: "api", asks: false, idempotencyKey } as const;
				const keepOpen = () => requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
				return sendTransfers(context, { ...asked, principal, body, checked: keepOpen });
			},
			{
				// Before the body is read: without a session a caller learns nothing about its form.
				parse: [async (hook) => (await signedIn(hook), await read(hook)), "json"],
				body: bodySchema,
				response: { 202: createdTransfersSchema },
				detail: {
					operationId: "createTransfers",
					tags: ["trading"],
					summary: "Sends ETH or a token from one of your wallets",
					description:
						"To at most 50 recipients, the amount to each. All of it is judged as a whole: balance, " +
						"gas, simulation, limits, your confirmation; what denies one transfer denies all. A " +
						"delegated wallet sends at once. Otherwise each transfer has a `signUrl`, or all of " +
						"them one `confirmUrl`. With an `idempotency-key` header a retry sends nothing twice.",
					security: [{ session: [] }],
					parameters: tradingDocumented.onceParameters,
					...canCarry(tradingDocumented.onceHeaders),
					...canFail(
						transfersFault.walletNotFound,
						transfersFault.currencyUnreadable,
						transfersFault.chainUnavailable,
						...tradingDocumented.onceFailures,
					),
				},
			},
		);
}
