// Builds a quote's transactions and signatures, and reads the signatures that it asks for.

import { encodeFunctionData, erc20Abi, parseAbi } from "viem";
import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { DAY_MS } from "#core/time.ts";
import { QUOTE_MARGIN_MS } from "#plugins/bridge/limits.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import {
	RECEIVE_WITH_AUTHORIZATION,
	type WireAuthorization,
	wireAuthorization,
	wireUint,
} from "#plugins/bridge/relay/order.ts";
import type { RelayChain, RelayQuote } from "#plugins/bridge/relay/Relay.ts";
import type { WireStep } from "#plugins/bridge/relay/wire.ts";
import type { Signable } from "#plugins/wallets/contract.ts";

type AuthorizationAsked = { route: BridgeRoute; origin: RelayChain; nowMs: number };

/** Holds one transaction of a bridge, in its order. */
export type BridgeStep = {
	kind: "approve" | "deposit";
	chainId: number;
	from: Address;
	to: Address;
	valueRaw: bigint;
	data: Hex;
};

type Flaw = {
	code: "quote_mismatch" | "quote_expired" | "signature_steps_unsupported";
	flaw: string;
};

type TypedData = Extract<WireAuthorization["sign"], { signatureKind: "eip712" }>;
type Body = WireAuthorization["post"]["body"];

/** The longest time for which a signature is given. */
const AUTHORIZATION_LIFETIME_MAX_MS = DAY_MS;
/** Limits the signatures of a bridge: one that takes the money, and one for the order. */
const AUTHORIZATIONS_MAX = 2;

const bodySchema = z.object({
	kind: z.string(),
	requestId: anyCaseWordSchema,
	api: z.string().exactOptional(),
});

/** Stored as JSON; integers as decimal text. */
export const authorizationSchema = z.discriminatedUnion("kind", [
	/** Lets the provider's contract take an exact amount of a token, once (EIP-3009). */
	z.object({
		kind: z.literal("payment"),
		chainId: z.int(),
		/** The address that signs. */
		user: anyCaseAddressSchema,
		token: anyCaseAddressSchema,
		spender: anyCaseAddressSchema,
		name: z.string(),
		version: z.string(),
		amountRaw: wireUint,
		validAfterS: wireUint,
		validBeforeS: wireUint,
		nonce: anyCaseWordSchema,
		body: bodySchema,
	}),
	/** Says that the order is the owner's (EIP-191): the bytes of its id. Takes nothing by itself. */
	z.object({
		kind: z.literal("order"),
		chainId: z.int(),
		user: anyCaseAddressSchema,
		depository: anyCaseAddressSchema,
		orderId: anyCaseWordSchema,
		body: bodySchema,
	}),
]);
export type Authorization = z.output<typeof authorizationSchema>;

/** The provider's depository, as it publishes it: a deposit names its order, and nothing else. */
export const depositoryAbi = parseAbi([
	"function depositNative(address depositor, bytes32 id) payable",
	"function depositErc20(address depositor, address token, uint256 amount, bytes32 id)",
	"event RelayNativeDeposit(address from, uint256 amount, bytes32 id)",
	"event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)",
]);

/**
 * Reads the signatures that a quote asks for, in place of its deposit, and until when the first of
 * them holds. Each of their members is held against the route and against what the provider
 * publishes; the order that the money is for was checked before, so the message can only be its id.
 */
export function readAuthorizations(
	asked: AuthorizationAsked,
	{ said, requestId }: { said: RelayQuote; requestId: Hex },
): { authorizations: Authorization[]; untilMs: number } | Flaw {
	const { orderId } = said.protocol.v2;
	const authorizations: Authorization[] = [];
	for (const step of said.steps) {
		const kind = authorizations.length === 0 ? "payment" : "order";
		const read = readAuthorization(asked, { step, kind, requestId, orderId });
		if ("flaw" in read) return read;
		authorizations.push(read);
	}
	const [first] = authorizations;
	if (first?.kind !== "payment" || authorizations.length > AUTHORIZATIONS_MAX) {
		return { code: "quote_mismatch", flaw: "it asks for other signatures" };
	}
	return { authorizations, untilMs: Number(first.validBeforeS) * 1_000 };
}

/** Reads one signature step. `kind` is what it has to be in its place. */
export function readAuthorization(
	asked: AuthorizationAsked,
	given: { step: WireStep; kind: Authorization["kind"]; requestId: Hex; orderId: Hex },
): Authorization | Flaw {
	const { step, kind, requestId, orderId } = given;
	const mismatch = (flaw: string): Flaw => ({ code: "quote_mismatch", flaw });
	if (step.kind !== "signature") return mismatch("it asks for a signature and a transaction");
	if (!/^authorize[12]?$/.test(step.id)) return mismatch(`it has a step "${step.id.slice(0, 20)}"`);
	const [item] = step.items;
	if (!item || step.items.length !== 1) return mismatch("a signature step has several parts");
	if (step.requestId !== requestId) return mismatch("a signature is for another request");
	const { data } = wireAuthorization.safeParse(item.data);
	if (!data)
		return { code: "signature_steps_unsupported", flaw: "a signature is of no known kind" };
	const { body } = data.post;
	if (body.requestId !== requestId) return mismatch("a signature goes to another request");
	const isPayment = data.sign.signatureKind === "eip712";
	if (isPayment !== (kind === "payment")) return mismatch("a signature stands in another's place");
	const { sign } = data;
	if (sign.signatureKind === "eip712") return paymentOf(asked, { sign, body });
	if (sign.message !== orderId) return mismatch("a message is not the order's id");
	const { protocol, id: chainId } = asked.origin;
	const depository = protocol?.depository ?? ZERO_ADDRESS;
	const { user } = asked.route;
	return { kind: "order", chainId, user, depository, orderId, body: exact(body) };
}

/**
 * Returns what the wallet signs, built from what was checked and from nothing that the provider
 * wrote beside it.
 */
export function signableOf(authorization: Authorization): Signable {
	if (authorization.kind === "order") {
		return { kind: "message", message: authorization.orderId, spender: null };
	}
	const { chainId, user, token, spender, name, version } = authorization;
	const { amountRaw, validAfterS, validBeforeS, nonce } = authorization;
	return {
		...{ kind: "typed_data", spender },
		typedData: {
			domain: { name, version, chainId, verifyingContract: token },
			types: { ReceiveWithAuthorization: RECEIVE_WITH_AUTHORIZATION },
			primaryType: "ReceiveWithAuthorization",
			message: {
				...{ from: user, to: spender, value: String(amountRaw), nonce },
				...{ validAfter: String(validAfterS), validBefore: String(validBeforeS) },
			},
		},
	};
}

/** Returns the contract that a signature is for. */
export function contractOf(authorization: Authorization): Address {
	return authorization.kind === "payment" ? authorization.token : authorization.depository;
}

/** Returns an authorization as it is stored: integers as decimal text. */
export function authorizationJson(
	authorization: Authorization,
): z.input<typeof authorizationSchema> {
	if (authorization.kind === "order") return authorization;
	const { amountRaw, validAfterS, validBeforeS } = authorization;
	return {
		...{ ...authorization, amountRaw: String(amountRaw) },
		...{ validAfterS: String(validAfterS), validBeforeS: String(validBeforeS) },
	};
}

/**
 * Returns the steps of a bridge, built from what was agreed and from nothing that the provider
 * wrote: an exact allowance where a token is paid in, then the deposit for the order.
 */
export function stepsOf(given: {
	chainId: number;
	user: Address;
	depository: Address;
	currency: Address;
	amountRaw: bigint;
	orderId: Hex;
}): BridgeStep[] {
	const { chainId, user, depository, currency, amountRaw, orderId } = given;
	const base = { chainId, from: user };
	if (currency === ZERO_ADDRESS) {
		const data = encodeFunctionData({
			...{ abi: depositoryAbi, functionName: "depositNative" as const },
			args: [user, orderId],
		});
		return [{ ...base, kind: "deposit", to: depository, valueRaw: amountRaw, data }];
	}
	const approve = encodeFunctionData({
		...{ abi: erc20Abi, functionName: "approve" as const },
		args: [depository, amountRaw],
	});
	const deposit = encodeFunctionData({
		...{ abi: depositoryAbi, functionName: "depositErc20" as const },
		args: [user, currency, amountRaw, orderId],
	});
	return [
		{ ...base, kind: "approve", to: currency, valueRaw: 0n, data: approve },
		{ ...base, kind: "deposit", to: depository, valueRaw: 0n, data: deposit },
	];
}

function paymentOf(
	{ route, origin, nowMs }: AuthorizationAsked,
	{ sign, body }: { sign: TypedData; body: Body },
): Authorization | Flaw {
	const { domain, value } = sign;
	const { chainId, currency } = route.origin;
	const mismatch = (flaw: string): Flaw => ({ code: "quote_mismatch", flaw });
	const { permits } = origin;
	if (body.kind !== "eip3009") return mismatch("a signature is handed over as another kind");
	if (domain.chainId !== chainId) return mismatch("a signature is for another chain");
	const token = domain.verifyingContract;
	if (token !== currency) return mismatch("a signature is for another token");
	if (!permits?.tokens.includes(token)) return mismatch("no signature moves that token");
	if (value.from !== route.user) return mismatch("a signature is somebody else's");
	if (value.to !== permits.spender) {
		return mismatch("it pays a contract that the provider does not publish");
	}
	if (value.value !== route.amountRaw) return mismatch("a signature pays another amount");
	if (Number(value.validAfter) * 1_000 > nowMs) return mismatch("a signature holds later only");
	const leftMs = Number(value.validBefore) * 1_000 - nowMs;
	if (leftMs < QUOTE_MARGIN_MS) {
		return { code: "quote_expired", flaw: "its signature has ended, or ends too soon" };
	}
	if (leftMs > AUTHORIZATION_LIFETIME_MAX_MS) return mismatch("its signature lasts too long");
	return {
		...{ kind: "payment", chainId, user: value.from, token, spender: value.to, body: exact(body) },
		...{ name: domain.name, version: domain.version, amountRaw: value.value },
		...{ validAfterS: value.validAfter, validBeforeS: value.validBefore, nonce: value.nonce },
	};
}

function exact({ kind, requestId, api }: Body): Authorization["body"] {
	return { kind, requestId, ...(api !== undefined && { api }) };
}
