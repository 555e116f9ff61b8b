import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";

const isHex = (text: string): text is Hex => /^0x[0-9a-f]*$/.test(text);

/** Bytes as a node writes them, converted to lower case. */
export const hexData = z
	.string()
	.transform((text) => text.toLowerCase())
	.refine(isHex);
