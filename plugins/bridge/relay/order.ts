// Declares the provider's orders and signatures, and computes an order's id and signer.

import { hashStruct, recoverMessageAddress } from "viem";
import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";

/** Holds a signature with the body that tells the provider which step it is for. */
export type RelayPermit = { signature: Hex; body: WireAuthorization["post"]["body"] };

const NUMBER_DIGITS_MAX = 78;
const TEXT_LENGTH_MAX = 64;
const BYTES_LENGTH_MAX = 4_096;
const UINT32_MAX = 2 ** 32 - 1;
const LISTED_MAX = 8;

/** A whole number in decimal digits, without leading zeros. */
export const wireUint = z
	.string()
	.max(NUMBER_DIGITS_MAX)
	.regex(/^(0|[1-9][0-9]*)$/)
	.transform(BigInt)
	.refine((value) => value < 2n ** 256n);
const wireBytes = z
	.string()
	.max(BYTES_LENGTH_MAX)
	.regex(/^0x([0-9a-fA-F]{2})*$/)
	.transform((text) => text.toLowerCase() as Hex);
/** Parses the protocol's name of a chain: `base`, `robinhood`. */
export const protocolName = z.string().min(1).max(TEXT_LENGTH_MAX);
const seconds = z.int().min(0).max(UINT32_MAX);

/**
 * Parses what the provider's solver signs: who pays what where, who gets how much at least, who is
 * refunded, until when. Strict: a member that its hash does not cover would promise nothing.
 */
export const relayOrder = z.strictObject({
	version: z.literal("v1"),
	solverChainId: protocolName,
	solver: anyCaseAddressSchema,
	salt: z.union([anyCaseWordSchema.transform(BigInt), wireUint]),
	inputs: z
		.array(
			z.strictObject({
				payment: z.strictObject({
					chainId: protocolName,
					currency: anyCaseAddressSchema,
					amount: wireUint,
					weight: wireUint,
				}),
				refunds: z
					.array(
						z.strictObject({
							chainId: protocolName,
							recipient: anyCaseAddressSchema,
							currency: anyCaseAddressSchema,
							minimumAmount: wireUint,
							deadline: seconds,
							extraData: wireBytes,
						}),
					)
					.max(LISTED_MAX),
			}),
		)
		.max(LISTED_MAX),
	output: z.strictObject({
		chainId: protocolName,
		payments: z
			.array(
				z.strictObject({
					recipient: anyCaseAddressSchema,
					currency: anyCaseAddressSchema,
					minimumAmount: wireUint,
					expectedAmount: wireUint,
				}),
			)
			.max(LISTED_MAX),
		calls: z.array(wireBytes).max(LISTED_MAX),
		deadline: seconds,
		extraData: wireBytes,
	}),
	fees: z
		.array(
			z.strictObject({
				recipientChainId: protocolName,
				recipient: anyCaseAddressSchema,
				currencyChainId: protocolName,
				currency: anyCaseAddressSchema,
				amount: wireUint,
			}),
		)
		.max(LISTED_MAX),
});

type RelayOrder = z.output<typeof relayOrder>;

/** Members and their order make the hash: they are the settlement protocol's, to the letter. */
const ORDER_TYPES = {
	Order: [
		{ name: "version", type: "string" },
		{ name: "solverChainId", type: "string" },
		{ name: "solver", type: "address" },
		{ name: "salt", type: "uint256" },
		{ name: "inputs", type: "Input[]" },
		{ name: "output", type: "Output" },
		{ name: "fees", type: "Fee[]" },
	],
	Input: [
		{ name: "payment", type: "InputPayment" },
		{ name: "refunds", type: "InputRefund[]" },
	],
	InputPayment: [
		{ name: "chainId", type: "string" },
		{ name: "currency", type: "bytes" },
		{ name: "amount", type: "uint256" },
		{ name: "weight", type: "uint256" },
	],
	InputRefund: [
		{ name: "chainId", type: "string" },
		{ name: "recipient", type: "bytes" },
		{ name: "currency", type: "bytes" },
		{ name: "minimumAmount", type: "uint256" },
		{ name: "deadline", type: "uint32" },
		{ name: "extraData", type: "bytes" },
	],
	Output: [
		{ name: "chainId", type: "string" },
		{ name: "payments", type: "OutputPayment[]" },
		{ name: "deadline", type: "uint32" },
		{ name: "calls", type: "bytes[]" },
		{ name: "extraData", type: "bytes" },
	],
	OutputPayment: [
		{ name: "recipient", type: "bytes" },
		{ name: "currency", type: "bytes" },
		{ name: "minimumAmount", type: "uint256" },
		{ name: "expectedAmount", type: "uint256" },
	],
	Fee: [
		{ name: "recipientChainId", type: "string" },
		{ name: "recipient", type: "bytes" },
		{ name: "currencyChainId", type: "string" },
		{ name: "currency", type: "bytes" },
		{ name: "amount", type: "uint256" },
	],
};

/** The one kind of typed data that is signed (EIP-3009): `to` alone may use it, and once. */
export const RECEIVE_WITH_AUTHORIZATION = [
	{ name: "from", type: "address" },
	{ name: "to", type: "address" },
	{ name: "value", type: "uint256" },
	{ name: "validAfter", type: "uint256" },
	{ name: "validBefore", type: "uint256" },
	{ name: "nonce", type: "bytes32" },
];

const named = z.string().min(1).max(64);
const unixSeconds = z.union([
	z.int().min(0).max(Number.MAX_SAFE_INTEGER).transform(BigInt),
	wireUint,
]);
const member = (name: string, type: string) =>
	z.strictObject({ name: z.literal(name), type: z.literal(type) });
const typeMembers = z.tuple([
	member("from", "address"),
	member("to", "address"),
	member("value", "uint256"),
	member("validAfter", "uint256"),
	member("validBefore", "uint256"),
	member("nonce", "bytes32"),
]);

/** Strict: a member that is not checked here is not signed. */
const typedData = z.strictObject({
	signatureKind: z.literal("eip712"),
	domain: z.strictObject({
		name: named,
		version: named,
		chainId: z.int().min(1),
		verifyingContract: anyCaseAddressSchema,
	}),
	types: z.strictObject({ ReceiveWithAuthorization: typeMembers }),
	primaryType: z.literal("ReceiveWithAuthorization"),
	value: z.strictObject({
		from: anyCaseAddressSchema,
		to: anyCaseAddressSchema,
		value: wireUint,
		validAfter: unixSeconds,
		validBefore: unixSeconds,
		nonce: anyCaseWordSchema,
	}),
});
const message = z.strictObject({ signatureKind: z.literal("eip191"), message: anyCaseWordSchema });

/**
 * Parses what a signature step asks for, and where the signature goes. Other kinds of signatures
 * are not read: what is not understood here is not signed.
 */
export const wireAuthorization = z.strictObject({
	sign: z.discriminatedUnion("signatureKind", [typedData, message]),
	post: z.strictObject({
		endpoint: z.literal("/execute/permits"),
		method: z.literal("POST"),
		body: z.strictObject({
			kind: z.string().regex(/^[a-z0-9-]{1,32}$/),
			requestId: anyCaseWordSchema,
			api: z
				.string()
				.regex(/^[a-z0-9-]{1,32}$/)
				.optional(),
		}),
	}),
});
export type WireAuthorization = z.output<typeof wireAuthorization>;

/**
 * Returns the id of an order: the EIP-712 hash of its struct, without a domain. A deposit names
 * nothing but this id, so whoever computes it from the order's members knows what a deposit buys.
 */
export function orderIdOf(order: RelayOrder): Hex {
	return hashStruct({ data: order, primaryType: "Order", types: ORDER_TYPES });
}

/**
 * Returns who signed an order's id (EIP-191 over its 32 bytes), null where the signature is none.
 * It is the solver's promise that the order is its own.
 */
export async function orderSignerOf(orderId: Hex, signature: Hex): Promise<Address | null> {
	try {
		const signer = await recoverMessageAddress({ message: { raw: orderId }, signature });
		return signer.toLowerCase() as Address;
	} catch {
		return null;
	}
}
