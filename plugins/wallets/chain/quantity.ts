import { z } from "zod";

const isQuantity = (text: string): text is `0x${string}` => /^0x[0-9a-f]{1,64}$/i.test(text);

/** A JSON-RPC quantity. */
export const quantity = z
	.string()
	.refine(isQuantity)
	.transform((text) => BigInt(text));
