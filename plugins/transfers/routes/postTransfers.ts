import { Elysia } from "elysia";
import { z } from "zod";
import { Fault } from "#core/fault/Fault.ts";
import { canCarry } from "#core/http/canCarry.ts";
import { canFail } from "#core/http/canFail.ts";
import { exactNumbers } from "#core/http/exactNumbers.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { checkTransfers } from "#plugins/transfers/checkTransfers.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import {
	ADDRESS_LENGTH_MAX,
	ADVANCE_TIMEOUT_MS,
	AMOUNT_LENGTH_MAX,
	ANSWER_IDLE_SECONDS,
	RECIPIENTS_MAX,
} from "#plugins/transfers/limits.ts";
import { linksOf } from "#plugins/transfers/linksOf.ts";
import { renderTransfer } from "#plugins/transfers/renderTransfer.ts";
import type { TransfersContext } from "#plugins/transfers/routes/TransfersContext.ts";
import { TRANSFER } from "#plugins/transfers/transferKind.ts";
import { transferSchema } from "#plugins/transfers/transferSchema.ts";
import {
	type Intent,
	type Principal,
	type Profile,
	type Recorded,
	tradingDocumented,
} from "#plugins/wallets/contract.ts";

const ROUTE = "POST /v1/trading/wallet-transfers";

// Strict: a member that is dropped in silence (a token, a memo) would send something else than
// what its sender meant.
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
			.meta({ description: "In ETH, for each recipient: a plain decimal.", examples: ["0.05"] }),
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

const createdSchema = z
	.object({
		transfers: z
			.array(transferSchema)
			.meta({ description: "One for each recipient, in the order of the request." }),
	})
	.meta({ id: "CreatedTransfers", description: "The transfers of one request." });

/** Sends ETH to one recipient or to many. */
export function postTransfers(context: TransfersContext) {
	const { wallets, chains } = context;
	const asked = new WeakMap<Request, Promise<Principal>>();
	// Before the body is even read: a stranger learns nothing of how it should look.
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
				const { profile } = principal;
				const checked = checkTransfers(body, { profile, chains });
				requestContexts.get(request)?.keepOpen(ANSWER_IDLE_SECONDS);
				const { wallet, chainId, amountRaw, recipients } = checked;
				const batchId = context.newId();
				return wallets.once({
					principal,
					route: ROUTE,
					idempotencyKey: request.headers.get("idempotency-key"),
					body,
					intents: recipients.map((recipient) => ({
						kind: TRANSFER,
						profile,
						wallet,
						chainId,
						channel: "api" as const,
						request: { recipient, amountRaw: String(amountRaw) },
						batchId,
					})),
					answer: (ids, recorded) => answer(context, { principal, ids, recorded }),
				});
			},
			{
				parse: [async ({ request }) => (await signedIn(request), await read({ request })), "json"],
				body: bodySchema,
				response: { 202: createdSchema },
				detail: {
					operationId: "createTransfers",
					tags: ["trading"],
					summary: "Sends ETH from one of your wallets",
					description:
						"To at most 50 recipients, the amount to each. All of it is judged as a whole: balance, " +
						"gas, simulation, limits, your confirmation; what denies one transfer denies all. A " +
						"delegated wallet sends at once. Otherwise each transfer has a `signUrl`, or all of " +
						"them one `confirmUrl`. With an `idempotency-key` header a retry sends nothing twice.",
					security: [{ session: [] }],
					parameters: tradingDocumented.onceParameters,
					...canCarry(tradingDocumented.onceHeaders),
					...canFail(transfersFault.walletNotFound, ...tradingDocumented.onceFailures),
				},
			},
		);
}

type Asked = { ids: readonly string[]; recorded: Recorded | null };

async function answer(
	context: TransfersContext,
	{ principal, ids, recorded }: Asked & { principal: Principal },
): Promise<{ status: number; body: unknown }> {
	const { wallets, chains } = context;
	const { profile } = principal;
	const intents = await goOn(context, { profile, ids, recorded });
	const urls = await linksOf(wallets, intents);
	const transfers = intents.map((intent) => {
		const questionUrl = urls.get(intent.id);
		return renderTransfer(intent, { profile, chainOf: chains.byId, questionUrl });
	});
	return { status: 202, body: { transfers } };
}

/**
 * Takes the transfers further. Where that cannot be done now they are answered as they stand, and
 * the service takes them up by itself: an error would invite their sender to send them once more.
 */
async function goOn(
	{ wallets, ending, log }: TransfersContext,
	{ profile, ids, recorded }: Asked & { profile: Profile },
): Promise<Intent[]> {
	const { execution } = wallets;
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
		return await execution.advance(ids, signal, recorded);
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		log[level]("wallet transfers could not be taken further now", { error });
		const read = await Promise.all(ids.map((id) => execution.read(id, profile.id)));
		return read.flatMap((intent) => intent ?? []);
	}
}
