// Serves requests to buy and to offer.

import { Elysia } from "elysia";
import { isAddress as hasRightChecksum } from "viem";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, isAddress, isWord, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { ANY_CASE_WORD_PATTERN } from "#core/chain/hexSchemas.ts";
import { assert, Fault } from "#core/fault.ts";
import { readMember } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { exactNumbers, requestContexts } from "#core/http/requests.ts";
import { moneyFault, parseAmount, UNITS_BOUND } from "#core/money.ts";
import { buyFault, invalidBody } from "#plugins/nft-buys/faults.ts";
import { ADVANCE_TIMEOUT_MS, ANSWER_IDLE_SECONDS, UNITS_MAX } from "#plugins/nft-buys/limits.ts";
import type { BuyContext, BuyRequest } from "#plugins/nft-buys/model.ts";
import { intentSchema, orderDetail, renderIntent } from "#plugins/nft-buys/routes/intents.ts";
import type {
	Channel,
	Intent,
	Principal,
	Profile,
	Recorded,
	SignedIn,
	Wallet,
} from "#plugins/wallets/contract.ts";

type FromRoute = { kind: "route"; request: Request };
type FromTool = {
	kind: "tool";
	idempotencyKey: string | null;
	channel: Channel;
	/** True: the owner must approve by a link first, whatever their profile's settings are. */
	asks: boolean;
};

type Asked = {
	kind: "nft_buy" | "nft_offer";
	/** Names the request together with its key. */
	route: string;
	from: FromRoute | FromTool;
	principal: Principal;
	chain: Chain;
	walletId: string | undefined;
	/** The parsed body; two requests with equal bodies are the same request. */
	body: unknown;
	wish: BuyRequest;
};

type Made = {
	profileId: string;
	intentIds: readonly string[];
	recorded: Recorded | null;
};

/** Says what the owner is asked to do, by the intent's state. */
const PURPOSES = new Map<string, "confirm" | "sign">([
	["confirmation_required", "confirm"],
	["signature_required", "sign"],
]);

const whole = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/, { error: "must be a whole number in decimal digits", abort: true });

/** Members of the bodies that buy and offer. Numbers arrive as text, see `exactNumbers`. */
export const bodyFields = {
	chain: z
		.string()
		.max(64)
		.optional()
		.meta({
			description: "By slug, other spelling or id. Optional where one chain is served.",
			examples: ["ethereum"],
		}),
	slug: z
		.string()
		.regex(/^[^\p{Cc}]{1,128}$/u, "must be a slug or a contract address")
		.optional()
		.meta({
			description: "The collection: its slug, a former one, or the contract's address.",
			examples: ["tidal-cats"],
		}),
	contract: z
		.string()
		// A mixed-case address has a checksum (EIP-55), and a wrong one is a typing error.
		.refine((text) => hasRightChecksum(text), "must be an address with a right checksum")
		.toLowerCase()
		.refine(isAddress, "must be an address")
		.refine((text) => text !== ZERO_ADDRESS, "must be a contract")
		.meta({
			description: "The collection's contract.",
			examples: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
		}),
	tokenId: whole
		.refine((text) => BigInt(text) < UNITS_BOUND, "must fit 256 bits")
		.meta({ description: "A token's id, as text or as a number.", examples: ["6529"] }),
	quantity: whole
		.refine(
			(text) => text !== "0" && BigInt(text) <= BigInt(UNITS_MAX),
			`must be from 1 to ${UNITS_MAX}`,
		)
		.default("1")
		.meta({
			...{ type: "integer", minimum: 1, maximum: UNITS_MAX },
			description: "Units of an ERC-1155. (Digits as text are read too.)",
			examples: [1],
		}),
	/** Parsed later by `parseAmount`, which knows the chain's coin. */
	price: z
		.string()
		.max(160)
		.meta({
			description:
				"In the chain's own coin, for all units together: plain decimal digits as text, without an " +
				"exponent. (A JSON number is read from its text too.)",
			examples: ["0.05"],
		}),
	orderHash: z
		.string()
		.toLowerCase()
		.refine(isWord, "must be 32 bytes in hex")
		.meta({
			pattern: ANY_CASE_WORD_PATTERN,
			description: "Exactly this listing.",
			examples: [`0x${"5d".repeat(32)}`],
		}),
	walletId: z
		.uuid()
		.optional()
		.meta({
			description: "Which of your wallets pays; the canonical one unless given.",
			examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
		}),
};

/** Members whose numbers must not become doubles. */
const exactMembers = ["maxPriceNative", "priceNative", "tokenId", "quantity"] as const;

const questionSchema = z
	.object({
		url: field.url("Where its owner says yes, or signs.", "https://app.example.com/links/x7Zk"),
		expiresAt: field.time("Until when it can be answered."),
	})
	.meta({ id: "IntentQuestion", description: "A one-time link that asks the owner of an intent." });

/** The answer to a new intent, with the link for its owner to confirm or sign, if needed. */
export const createdSchema = intentSchema
	.extend({
		link: questionSchema
			.nullable()
			.meta({ description: "Null where its owner is asked for nothing." }),
	})
	.meta({ id: "CreatedIntent", description: "A new intent, with what its owner is asked." });

const NEITHER = "name the collection by this or by `slug`";

const { chain, slug, contract, tokenId, quantity, price, orderHash, walletId } = bodyFields;
// Strict: ignoring a misspelled limit would remove that limit.
const buySchema = z
	.strictObject({
		chain,
		slug,
		contract: contract.optional(),
		tokenId,
		quantity,
		maxPriceNative: price.optional(),
		orderHash: orderHash.optional(),
		walletId,
	})
	.meta({
		id: "BuyRequest",
		description:
			"What to buy: of the collection that `slug`, `contract` or both name. `maxPriceNative`, " +
			"`orderHash` or both have to be there.",
	})
	.refine((body) => body.slug !== undefined || body.contract !== undefined, {
		path: ["contract"],
		message: NEITHER,
	})
	.refine((body) => body.maxPriceNative !== undefined || body.orderHash !== undefined, {
		path: ["maxPriceNative"],
		message: "name the most it may cost, or the listing",
	});

const offerSchema = z
	.strictObject({
		chain,
		contract,
		tokenId: tokenId.optional(),
		quantity,
		priceNative: price,
		walletId,
	})
	.meta({ id: "OfferRequest", description: "What to offer for, and how much." });

/** Buys a token from a listing. */
export function postBuys(context: BuyContext, signedIn: SignedIn) {
	const read = exactNumbers(...exactMembers);
	return new Elysia().post(
		"/buys",
		async ({ request, body }) => {
			const { chain, contract } = await placeOf(context, body);
			const { tokenId, quantity, maxPriceNative: text, orderHash = null, walletId } = body;
			const limit = text === undefined ? null : priceRaw("maxPriceNative", { text, chain });
			const priceLimitRaw = limit === null ? null : String(limit);
			return await answerIntent(context, {
				kind: "nft_buy",
				route: "POST /v1/nft-market/buys",
				from: { kind: "route", request },
				principal: await signedIn({ request }),
				chain,
				walletId,
				body,
				wish: { contract, tokenId, quantity, priceLimitRaw, orderHash },
			});
		},
		{
			parse: [async (hook) => (await signedIn(hook), await read(hook)), "json"],
			transform: async (hook) => void (await signedIn(hook)),
			body: buySchema,
			response: { 201: createdSchema },
			detail: {
				operationId: "createBuy",
				tags: ["trading"],
				summary: "Buys an NFT from a listing",
				description:
					"The token's cheapest listing up to `maxPriceNative`, or the one that `orderHash` names. " +
					"The whole transaction is checked against the listing before anything is signed. What is " +
					"refused answers 201 too, with the intent `rejected` and its `errorCode`. Send an " +
					"`idempotency-key`, and send the same one again where no answer came.",
				...orderDetail(buyFault.collectionNotFound),
			},
		},
	);
}

/** Records an offer, and refuses it: this service creates no orders of its own. */
export function postOffers(context: BuyContext, signedIn: SignedIn) {
	const read = exactNumbers(...exactMembers);
	return new Elysia().post(
		"/offers",
		async ({ request, body }) => {
			const chain = chainOf(context, body.chain);
			const { contract, tokenId = null, quantity, priceNative, walletId } = body;
			const priceLimitRaw = String(priceRaw("priceNative", { text: priceNative, chain }));
			return await answerIntent(context, {
				kind: "nft_offer",
				route: "POST /v1/nft-market/offers",
				from: { kind: "route", request },
				principal: await signedIn({ request }),
				chain,
				walletId,
				body,
				wish: { contract, tokenId, quantity, priceLimitRaw, orderHash: null },
			});
		},
		{
			parse: [async (hook) => (await signedIn(hook), await read(hook)), "json"],
			transform: async (hook) => void (await signedIn(hook)),
			body: offerSchema,
			response: { 201: createdSchema },
			detail: {
				operationId: "createOffer",
				tags: ["trading"],
				summary: "Offers for an NFT",
				description:
					"Answers 201 with the intent `rejected` and `provider_offer_requires_local_order_builder`.",
				...orderDetail(),
			},
		},
	);
}

/**
 * Records a request, executes it as far as possible without its owner, and answers its state: 201,
 * also for a refusal. A closed connection does not stop it.
 */
export async function answerIntent(
	context: Omit<BuyContext, "market">,
	asked: Asked,
): Promise<Response> {
	const { wallets, chains } = context;
	const { principal, chain, kind, wish, route, body, from } = asked;
	const { profile } = principal;
	const wallet = payingWallet(profile, asked.walletId);
	// If the answer were lost, the owner might buy once more.
	if (from.kind === "route") requestContexts.get(from.request)?.keepOpen(ANSWER_IDLE_SECONDS);
	const { idempotencyKey, channel, asks } = from.kind === "tool" ? from : ofRoute(from.request);
	return await wallets.once({
		...{ principal, route, idempotencyKey, body },
		intents: [{ kind, profile, wallet, chainId: chain.id, channel, asks, request: wish }],
		async answer(intentIds, recorded) {
			const intent = await continueBuy(context, { profileId: profile.id, intentIds, recorded });
			assert(intent, "an intent that was created is there");
			const asking = await wallets.execution.asking(intent);
			const purpose = PURPOSES.get(asking.status);
			const link = purpose ? await wallets.link(asking, purpose) : null;
			const expiresAt = link && new Date(link.expiresAtMs).toISOString();
			return {
				status: 201,
				body: { ...renderIntent(intent, chains), link: link && { url: link.url, expiresAt } },
			};
		},
	});
}

/**
 * Returns the wallet that pays: the named one, else the profile's canonical one. Null where the
 * profile has none: its request is stored all the same, and rejected.
 */
export function payingWallet(profile: Profile, walletId: string | undefined): Wallet | null {
	if (walletId !== undefined) {
		const named = profile.wallets.find(({ id }) => id === walletId.toLowerCase());
		if (!named) throw invalidBody("walletId", "you have no such wallet");
		return named;
	}
	const wallet = profile.wallets.find(({ id }) => id === profile.canonicalWalletId);
	return wallet ?? profile.wallets[0] ?? null;
}

/**
 * Returns the chain that a body names, in any spelling; without a name, the only one that is
 * served.
 */
export function chainOf(
	{ chains, served }: Pick<BuyContext, "chains" | "served">,
	text: string | undefined,
): Chain {
	const slugs = served.map(({ slug }) => slug).join(", ");
	const [only] = served;
	if (text === undefined) {
		if (only && served.length === 1) return only;
		throw buyFault.chainRequired({ public: `Name the chain. Served here: ${slugs}.` });
	}
	const id = chains.bySlug(text)?.id;
	const found = served.find((chain) => chain.id === id);
	if (found) return found;
	throw invalidBody("chain", `"${text}" is not served here. Served: ${slugs}.`);
}

/**
 * Returns a price in base units of the chain's coin, exactly. Throws `amount_invalid` for zero, and
 * names the member.
 */
export function priceRaw(
	member: string,
	{ text, chain }: { text: string; chain: Pick<Chain, "nativeCurrency"> },
): bigint {
	return readMember(member, () => {
		const { units } = parseAmount(text, chain.nativeCurrency);
		if (units > 0n) return units;
		throw moneyFault.amountInvalid({ public: "The price must be more than zero." });
	});
}

/** Returns the chain and the contract of what a body names: by slug, by contract, or by both. */
async function placeOf(
	context: BuyContext,
	named: { slug?: string | undefined; contract?: Address | undefined; chain?: string | undefined },
): Promise<{ chain: Chain; contract: Address }> {
	const { slug, contract } = named;
	if (slug === undefined) {
		if (contract === undefined) throw invalidBody("contract", NEITHER);
		return { chain: chainOf(context, named.chain), contract };
	}
	const found = await context.market.find(slug, named.chain);
	if (contract !== undefined && contract !== found.address) {
		throw invalidBody("contract", "is another collection than the one that `slug` names");
	}
	return { chain: chainOf(context, found.chain), contract: found.address };
}

function ofRoute({ headers }: Request): Omit<FromTool, "kind"> {
	return { idempotencyKey: headers.get("idempotency-key"), channel: "api", asks: false };
}

/**
 * Continues the request, and returns its intent. If that fails now, the intent is returned as it is
 * and the service retries later: an error would make the owner buy once more.
 */
async function continueBuy(
	{ wallets, log, ending }: Omit<BuyContext, "market">,
	{ profileId, intentIds, recorded }: Made,
): Promise<Intent | null> {
	const { execution } = wallets;
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
		const [intent = null] = await execution.advance(intentIds, signal, recorded);
		return intent;
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		log[level]("a buy could not be taken further now", { error });
		const [id] = intentIds;
		return id === undefined ? null : await execution.read(id, profileId);
	}
}
