// Serves buys and offers that were asked for: read, list, cancel.

import { Elysia } from "elysia";
import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Fault } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { pageQuery, pageSchema } from "#core/http/pages.ts";
import { canCarry, canFail } from "#core/http/routeMarks.ts";
import { moneyFault, toDisplayNumber } from "#core/money.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/nft-buys/limits.ts";
import { type BuyContext, buyRequest } from "#plugins/nft-buys/model.ts";
import {
	cancellationSchema,
	type Intent,
	intentCode,
	intentErrorSchema,
	type SignedIn,
	tradingDocumented,
} from "#plugins/wallets/contract.ts";

/** The kinds of intents that this plugin's routes show. */
const intentKinds: readonly string[] = ["nft_buy", "nft_offer"];

/**
 * The id of an intent in a path. A text that is no id is accepted here, and answered like a missing
 * one.
 */
const intentParams = z.object({
	id: z.string().meta({
		description: "An intent of yours, by its id.",
		examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
	}),
});

/** A buy or an offer, as its owner sees it. */
export const intentSchema = z
	.object({
		id: field.id("Names the intent."),
		kind: z.enum(["buy", "offer"]).meta({ description: "What was asked for." }),
		status: field.text(
			"`created`, `rejected`, `confirmation_required`, `review_required`, `signature_required`, " +
				"`waiting` (for the step before it), `submitting`, `submitted`, `uncertain`, `confirmed`, " +
				"`failed`, `expired` or `dry_run`.",
			"submitted",
		),
		errorCode: intentCode("Why it was rejected, or failed."),
		error: intentErrorSchema.nullable().meta({ description: "The same with its figures." }),
		chain: field.text("Slug of the chain.", "ethereum"),
		contract: field.addressText("The collection's contract."),
		tokenId: field
			.digits("The token's id; null for an offer on the collection.", "6529")
			.nullable(),
		quantity: field.digits("Units.", "1"),
		priceLimit: field
			.number("The most it may cost, in the chain's coin, for display.", 1.25)
			.nullable(),
		priceLimitRaw: field
			.digits(
				"The same in base units. Where the listing alone was named: its price.",
				"1250000000000000000",
			)
			.nullable(),
		orderHash: field
			.hashText("The listing that was named, or that was found. Null until there is one.")
			.nullable(),
		walletId: field
			.text(
				"The wallet that pays, by its id. Null where there was none that could pay.",
				"0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69",
			)
			.nullable(),
		plan: z
			.record(z.string(), z.unknown())
			.nullable()
			.meta({
				description: "What is or was to be signed, decoded. Null until it was planned.",
				examples: [{ summary: "Buys one token for 1.25 ETH." }],
			}),
		planHash: field.hashText("Keccak-256 of the plan; null until it was planned.").nullable(),
		transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
		cancellation: cancellationSchema,
		cancelUrl: field
			.url(
				"A one-time link by which your own wallet signs its cancellation; in the answer to that alone.",
				"https://app.example.com/links/x7Zk",
			)
			.nullable(),
		createdAt: field.time("When it was asked for."),
		changedAt: field.time("When it last changed."),
		expiresAt: field.time("What was not sent by then is not sent any more."),
	})
	.meta({ id: "Intent", description: "A buy or an offer of yours." });

type IntentView = z.output<typeof intentSchema>;

const NATIVE_DECIMALS = 18;
/** The order that a buy fills: named by its owner, or found by the service. */
const plannedOrder = z.object({ orderHash: z.string() });

const querySchema = z.object(pageQuery({ default: PAGE_DEFAULT, max: PAGE_MAX }));
const answerSchema = z
	.object({
		data: z.array(intentSchema).meta({ description: "Intents, newest first." }),
		page: pageSchema,
	})
	.meta({ id: "IntentPage", description: "A page of your buys and offers." });

/** Shows one of the caller's buys or offers. Another profile's is the same 404 as a missing one. */
export function getIntent({ wallets, chains }: BuyContext, signedIn: SignedIn) {
	return new Elysia().get(
		"/intents/:id",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			const { data: id } = z.uuid().safeParse(params.id);
			const intent = id === undefined ? null : await wallets.execution.read(id, profile.id);
			if (!intent || !intentKinds.includes(intent.kind)) throw buyFault.notFound();
			set.headers["cache-control"] = "no-store";
			return renderIntent(intent, chains);
		},
		{
			transform: async (hook) => void (await signedIn(hook)),
			params: intentParams,
			response: { 200: intentSchema },
			detail: {
				operationId: "getIntent",
				tags: ["trading"],
				summary: "Reads an NFT buy or offer",
				description: "What was asked for, what is or was to be signed, and where it stands.",
				security: [{ session: [] }],
				...canFail(httpFault.unauthorized, buyFault.notFound),
			},
		},
	);
}

/** Lists the caller's buys and offers, newest first. */
export function getIntents({ wallets, chains }: BuyContext, signedIn: SignedIn) {
	return new Elysia().get(
		"/intents",
		async ({ request, query, set }) => {
			const { profile } = await signedIn({ request });
			const found = await wallets.execution.list(profile.id, { kinds: intentKinds, ...query });
			const { items, nextCursor } = found;
			set.headers["cache-control"] = "no-store";
			return {
				data: items.map((intent) => renderIntent(intent, chains)),
				page: { nextCursor, hasMore: nextCursor !== null },
			};
		},
		{
			transform: async (hook) => void (await signedIn(hook)),
			query: querySchema,
			response: { 200: answerSchema },
			detail: {
				operationId: "listIntents",
				tags: ["trading"],
				summary: "Lists your NFT buys and offers",
				description: "Newest first, also those that were refused.",
				security: [{ session: [] }],
				...canFail(httpFault.unauthorized),
			},
		},
	);
}

/** Returns the common OpenAPI entry of buys and offers: authentication, failures, headers. */
export function orderDetail(...more: readonly (() => Fault)[]) {
	return {
		security: [{ session: [] as string[] }],
		...canFail(
			httpFault.unauthorized,
			buyFault.chainRequired,
			moneyFault.amountInvalid,
			...tradingDocumented.onceFailures,
			...more,
		),
		parameters: tradingDocumented.onceParameters,
		...canCarry(tradingDocumented.onceHeaders),
	};
}

/** Cancels one of the caller's buys. No operator's switch prevents that. */
export function postCancel({ wallets, chains, ending }: BuyContext, signedIn: SignedIn) {
	return new Elysia().post(
		"/intents/:id/cancel",
		async ({ request, params, set }) => {
			const { profile } = await signedIn({ request });
			const { data: id } = z.uuid().safeParse(params.id);
			const own = id === undefined ? null : await wallets.execution.read(id, profile.id);
			if (!own || !intentKinds.includes(own.kind)) throw buyFault.notFound();
			set.headers["cache-control"] = "no-store";
			const { intent, cancelUrl } = await wallets.cancel(own.id, { profile, signal: ending });
			return renderIntent(intent, chains, { cancelUrl });
		},
		{
			transform: async (hook) => void (await signedIn(hook)),
			params: intentParams,
			response: { 200: intentSchema },
			detail: {
				operationId: "cancelIntent",
				tags: ["trading"],
				summary: "Cancels an NFT buy or offer",
				description: tradingDocumented.cancelDescription,
				security: [{ session: [] }],
				...canFail(httpFault.unauthorized, buyFault.notFound, ...tradingDocumented.cancelFailures),
			},
		},
	);
}

/** Renders an intent for its owner; with the link to cancel it, if that was just created. */
export function renderIntent(
	intent: Intent,
	chains: ChainRegistry,
	{ cancelUrl = null }: { cancelUrl?: string | null } = {},
): IntentView {
	const request = buyRequest.parse(intent.request);
	const { contract, tokenId, quantity } = request;
	const priceLimitRaw = request.priceLimitRaw ?? plannedLimit(intent);
	const { data: planned } = plannedOrder.safeParse(intent.plan?.shown);
	const chain = chains.byId(intent.chainId);
	const decimals = chain?.nativeCurrency.decimals ?? NATIVE_DECIMALS;
	const isoTime = (ms: number) => new Date(ms).toISOString();
	return {
		id: intent.id,
		kind: intent.kind === "nft_buy" ? "buy" : "offer",
		status: intent.status,
		errorCode: intent.errorCode,
		error: intent.error,
		chain: chain?.slug ?? String(intent.chainId),
		contract,
		tokenId,
		quantity,
		priceLimit: priceLimitRaw === null ? null : toDisplayNumber(BigInt(priceLimitRaw), decimals),
		priceLimitRaw,
		orderHash: request.orderHash ?? planned?.orderHash ?? null,
		walletId: intent.walletId,
		plan: intent.plan && { ...intent.plan.shown },
		planHash: intent.planHash,
		transactionHash: intent.transactionHash,
		cancellation: intent.cancellation,
		cancelUrl,
		createdAt: isoTime(intent.createdAtMs),
		changedAt: isoTime(intent.changedAtMs),
		expiresAt: isoTime(intent.expiresAtMs),
	};
}

/**
 * Returns the planned price as the limit of a buy that names only the listing, if it is in the
 * coin.
 */
function plannedLimit({ kind, plan }: Intent): string | null {
	if (kind !== "nft_buy" || plan?.spend.currency !== ZERO_ADDRESS) return null;
	return String(plan.spend.raw);
}
