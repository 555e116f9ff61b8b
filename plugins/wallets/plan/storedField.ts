import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
const isHex = (text: string): text is Hex => /^0x(?:[0-9a-f]{2})*$/.test(text);
const isWord = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);

/** Checks what is read back of JSON that was stored: hex in small letters, amounts as text. */
export const storedField = {
	address: z.string().refine(isAddress),
	hex: z.string().refine(isHex),
	/** 32 bytes, such as a hash. */
	word: z.string().refine(isWord),
	/** Base units as decimal text of at most 78 digits, which a word holds. */
	units: z.string().regex(/^(0|[1-9]\d{0,77})$/),
};
