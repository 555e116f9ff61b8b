import { hashMessage, hashTypedData, recoverAddress } from "viem";
import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { assert } from "#core/fault/assert.ts";
import { storedField } from "#plugins/wallets/plan/storedField.ts";

const { address, hex } = storedField;
const TEXT_LENGTH_MAX = 4_096;
const MEMBERS_MAX = 32;
const text = z.string().max(TEXT_LENGTH_MAX);
const name = z.string().min(1).max(64);

/** As EIP-712 has it. Integers of the message are decimal text, which JSON keeps exactly. */
const typedData = z.strictObject({
	domain: z.strictObject({
		name: text,
		version: text,
		chainId: z.int().positive(),
		verifyingContract: address,
	}),
	types: z.record(name, z.array(z.strictObject({ name, type: name })).max(MEMBERS_MAX)),
	primaryType: name,
	message: z.record(name, text),
});

/** How a plan that is a signature is stored. */
export const signableSchema = z.discriminatedUnion("kind", [
	/** Bytes, signed as EIP-191 has it. */
	z.strictObject({
		kind: z.literal("message"),
		message: hex.max(TEXT_LENGTH_MAX),
		spender: address.nullable(),
	}),
	z.strictObject({ kind: z.literal("typed_data"), typedData, spender: address.nullable() }),
]);

/**
 * What a wallet is to sign in place of a transaction. `spender` may take money by it: policy knows
 * it like what a transaction calls. Null: nobody may.
 */
export type Signable = z.output<typeof signableSchema>;

/** Returns the 32 bytes that are signed. */
export function digestOf(signable: Signable): Hex {
	if (signable.kind === "message") return hashMessage({ raw: signable.message });
	const { domain, types, primaryType, message } = signable.typedData;
	assert(primaryType in types, "a signature's type is among its types");
	return hashTypedData({ domain, types, primaryType, message });
}

/** True where the signature is the account's own. What is no signature is nobody's. */
export async function isSignedBy(
	signable: Signable,
	{ address: account, signature }: { address: Address; signature: Hex },
): Promise<boolean> {
	try {
		const signer = await recoverAddress({ hash: digestOf(signable), signature });
		return signer.toLowerCase() === account;
	} catch {
		return false;
	}
}
