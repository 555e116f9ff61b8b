// Declares a resolved route, and how it is stored.

import { z } from "zod";
import { anyCaseAddressSchema } from "#core/chain/hexSchemas.ts";

const rawSchema = z
	.string()
	.regex(/^\d{1,78}$/)
	.transform(BigInt);
const placeSchema = z.object({
	chainId: z.int().positive(),
	/** Slug, where this deployment knows the chain; else the provider's name. */
	chain: z.string(),
	currency: anyCaseAddressSchema,
	symbol: z.string(),
	decimals: z.int().min(0).max(36),
});

/** What a bridge carries from where to where, resolved and exact. Stored as JSON. */
export const bridgeRoute = z.object({
	user: anyCaseAddressSchema,
	recipient: anyCaseAddressSchema,
	refundTo: anyCaseAddressSchema,
	amountRaw: rawSchema,
	origin: placeSchema,
	destination: placeSchema,
});
export type BridgeRoute = z.output<typeof bridgeRoute>;

/** Returns a route as it is stored: its amount as decimal text. */
export function routeJson(route: BridgeRoute): z.input<typeof bridgeRoute> {
	return { ...route, amountRaw: String(route.amountRaw) };
}
