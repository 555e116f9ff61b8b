// Stores plans as JSON, hashes them, and checks signatures of what they sign.

import { concat, hashMessage, hashTypedData, keccak256, recoverAddress, stringToBytes } from "viem";
import { z } from "zod";
import { type Address, type Hex, isAddress, isWord } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import { stableJson } from "#core/json.ts";
import type { Plan, Signable } from "#plugins/wallets/model.ts";

const isHex = (text: string): text is Hex => /^0x(?:[0-9a-f]{2})*$/.test(text);

/** Checks what is read back of JSON that was stored: hex in small letters, amounts as text. */
export const storedField = {
	address: z.string().refine(isAddress),
	hex: z.string().refine(isHex),
	/** 32 bytes, such as a hash. */
	word: z.string().refine(isWord),
	/** Parses base units: decimal text of at most 78 digits, as many as a uint256 has. */
	units: z.string().regex(/^(0|[1-9]\d{0,77})$/),
};

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

/** Parses a stored plan that is a signature. */
export const signableSchema = z.discriminatedUnion("kind", [
	/** Bytes, signed as EIP-191 has it. */
	z.strictObject({
		kind: z.literal("message"),
		message: hex.max(TEXT_LENGTH_MAX),
		spender: address.nullable(),
	}),
	z.strictObject({ kind: z.literal("typed_data"), typedData, spender: address.nullable() }),
]);

const units = storedField.units.transform((text) => BigInt(text));

const spend = z.object({
	currency: address,
	raw: units,
	decimals: z.int(),
	symbol: z.string(),
	worth: z.object({ currency: address, raw: units }).exactOptional(),
});

/** A plan as it is stored: bigints as decimal text. What is read back is checked like all else. */
const storedPlan = z.object({
	chainId: z.int(),
	from: address,
	to: address,
	valueRaw: units,
	data: hex,
	spend,
	recipient: address.nullable(),
	feeRaw: units.exactOptional(),
	tipRaw: units.exactOptional(),
	signs: signableSchema.exactOptional(),
	shown: z.record(z.string(), z.unknown()),
	expiresAtMs: z.number(),
});

/** Reads and writes plans as JSON. */
export const planCodec = {
	write(plan: Plan): Record<string, unknown> {
		const { valueRaw, feeRaw, tipRaw } = plan;
		return {
			...plan,
			valueRaw: String(valueRaw),
			...(feeRaw !== undefined && { feeRaw: String(feeRaw) }),
			...(tipRaw !== undefined && { tipRaw: String(tipRaw) }),
			spend: writtenSpend(plan.spend),
		};
	},
	read(stored: unknown): Plan {
		return storedPlan.parse(stored);
	},
};

/** Holds what an intent that waits for a step will spend once that is done. */
export type Behind = { kind: string; spend: Plan["spend"] };

/** Reads and writes, as JSON, all that waits for a step. */
export const behindCodec = {
	write: (behind: readonly Behind[]) =>
		behind.map(({ kind, spend }) => ({ kind, spend: writtenSpend(spend) })),
	read: (stored: unknown): Behind[] => z.array(z.object({ kind: z.string(), spend })).parse(stored),
};

function writtenSpend({ worth, ...spend }: Plan["spend"]): Record<string, unknown> {
	return {
		...{ ...spend, raw: String(spend.raw) },
		...(worth && { worth: { ...worth, raw: String(worth.raw) } }),
	};
}

/** Returns whether the signature is the account's own; false for text that is no signature. */
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

/** Returns the 32 bytes that are signed. */
export function digestOf(signable: Signable): Hex {
	if (signable.kind === "message") return hashMessage({ raw: signable.message });
	const { domain, types, primaryType, message } = signable.typedData;
	assert(primaryType in types, "a signature's type is among its types");
	return hashTypedData({ domain, types, primaryType, message });
}

/**
 * Returns the hash of what a person approves: everything that would be signed, and everything they
 * were shown of it. The expiry is left out, so the same plan made anew has the same hash.
 */
export function hashPlan(plan: Plan): Hex {
	const { expiresAtMs: _, ...rest } = planCodec.write(plan);
	return keccak256(stringToBytes(stableJson(rest)));
}

/**
 * Returns the hash of what a person approves when they confirm a batch at once: all of its plans,
 * in the order of their intents. A single plan has its own hash. Null where one has no plan.
 */
export function hashBatch(intents: readonly { id: string; planHash: Hex | null }[]): Hex | null {
	const ordered = [...intents].sort((one, other) => (one.id < other.id ? -1 : 1));
	const hashes = ordered.flatMap(({ planHash }) => (planHash === null ? [] : [planHash]));
	if (hashes.length === 0 || hashes.length !== intents.length) return null;
	return hashes.length === 1 ? (hashes[0] ?? null) : keccak256(concat(hashes));
}
