import { Elysia } from "elysia";
import { z } from "zod";
import { canCarry } from "#core/http/canCarry.ts";
import { canFail } from "#core/http/canFail.ts";
import { exactNumbers } from "#core/http/exactNumbers.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import {
	ADDRESS_LENGTH_MAX,
	AMOUNT_LENGTH_MAX,
	ANSWER_IDLE_SECONDS,
	RECIPIENTS_MAX,
} from "#plugins/transfers/limits.ts";
import type { TransfersContext } from "#plugins/transfers/routes/TransfersContext.ts";
import { sendTransfers } from "#plugins/transfers/sendTransfers.ts";
import { createdTransfersSchema } from "#plugins/transfers/transferSchema.ts";
import { type Principal, tradingDocumented } from "#plugins/wallets/contract.ts";

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

/** Sends ETH or a token to one recipient or to many. */
export function postTransfers(context: TransfersContext) {
	const { wallets } = context;
	const asked = new WeakMap<Request, Promise<Principal>>();
	// Before the body is read: without a session a caller learns nothing about its form.
	const signedIn = (request: Request) => {
		const principal = asked.get(request) ?? wallets.authenticate(request);
		asked.set(request, principal);
		return principal;
	};
	const read = exactNumbers("amount");
	return new Elysia()
		.derive(async ({ request }) => ({ principal: await signedIn(request) }))
		.post(
			"",
			async ({ principal, body, request }) => {
				const idempotencyKey = request.headers.get("idempotency-key");
				const asked = { route: ROUTE, channel: "api", asks: false, idempotencyKey } as const;
				const keepOpen = () => requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
				return sendTransfers(context, { ...asked, principal, body, checked: keepOpen });
			},
			{
				parse: [async ({ request }) => (await signedIn(request), await read({ request })), "json"],
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
