// Parses addresses and 32-byte words of strangers, strictly or with capitals.

import { z } from "zod";
import { type Address, type Hex, isAddress, isWord } from "#core/chain/Hex.ts";

/** The forms in OpenAPI's `pattern`: with capitals where people may write them. */
export const ANY_CASE_ADDRESS_PATTERN = "^0x[0-9a-fA-F]{40}$";
export const WORD_PATTERN = "^0x[0-9a-f]{64}$";
export const ANY_CASE_WORD_PATTERN = "^0x[0-9a-fA-F]{64}$";

/** Takes 20 bytes in lower case. Capitals are refused: for what we wrote ourselves. */
export const addressSchema = z.string().refine(isAddress, "must be an address in lower case");

/** Takes 32 bytes in lower case. Capitals are refused: for what we wrote ourselves. */
export const wordSchema = z.string().refine(isWord, "must be 32 bytes in lower-case hex");

/**
 * Takes 20 bytes in any case and returns them in lower case; `0X` is refused. A checksum in
 * capitals is not checked: who lets people type addresses checks it.
 */
export const anyCaseAddressSchema: z.ZodType<Address> = lowered(
	new RegExp(ANY_CASE_ADDRESS_PATTERN),
	"must be an address",
);

/** Takes 32 bytes in any case and returns them in lower case; `0X` is refused. */
export const anyCaseWordSchema: z.ZodType<Hex> = lowered(
	new RegExp(ANY_CASE_WORD_PATTERN),
	"must be 32 bytes in hex",
);

function lowered(form: RegExp, message: string) {
	return z
		.string()
		.regex(form, message)
		.transform((text): Hex => `0x${text.slice(2).toLowerCase()}`);
}
