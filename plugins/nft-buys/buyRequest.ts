import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);
const units = z.string().regex(/^(0|[1-9]\d{0,77})$/);

/** The stored request of a buy or an offer: base units and ids as decimal text. */
export const buyRequest = z.object({
	contract: z.string().refine(isAddress),
	/** Null for an offer on a whole collection. */
	tokenId: units.nullable(),
	quantity: units,
	/** The highest price in base units of the chain's coin, for all units together. */
	priceLimitRaw: units.nullable(),
	orderHash: z.string().refine(isHash).nullable(),
});

export type BuyRequest = z.output<typeof buyRequest>;
