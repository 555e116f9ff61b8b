import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { wireAddress, wireHash, wireUint } from "#plugins/bridge/relay/order.ts";

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
const seconds = z.union([z.int().min(0).max(Number.MAX_SAFE_INTEGER).transform(BigInt), wireUint]);
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
		verifyingContract: wireAddress,
	}),
	types: z.strictObject({ ReceiveWithAuthorization: typeMembers }),
	primaryType: z.literal("ReceiveWithAuthorization"),
	value: z.strictObject({
		from: wireAddress,
		to: wireAddress,
		value: wireUint,
		validAfter: seconds,
		validBefore: seconds,
		nonce: wireHash,
	}),
});
const message = z.strictObject({ signatureKind: z.literal("eip191"), message: wireHash });

/**
 * What a signature step asks for, and where the signature goes. Other kinds of signatures are not
 * read: what nobody here understands is not signed.
 */
export const wireAuthorization = z.strictObject({
	sign: z.discriminatedUnion("signatureKind", [typedData, message]),
	post: z.strictObject({
		endpoint: z.literal("/execute/permits"),
		method: z.literal("POST"),
		body: z.strictObject({
			kind: z.string().regex(/^[a-z0-9-]{1,32}$/),
			requestId: wireHash,
			api: z
				.string()
				.regex(/^[a-z0-9-]{1,32}$/)
				.optional(),
		}),
	}),
});
export type WireAuthorization = z.output<typeof wireAuthorization>;

/** A signature with what says to the provider which step it is for. */
export type RelayPermit = { signature: Hex; body: WireAuthorization["post"]["body"] };
