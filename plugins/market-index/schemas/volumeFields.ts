import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { nativeCurrency } from "#plugins/market-index/display/nativeCurrency.ts";

const currencySchema = z
	.object({
		symbol: z.literal(nativeCurrency.symbol).meta({ description: "Its symbol." }),
		decimals: z
			.literal(nativeCurrency.decimals)
			.meta({ description: "Decimal places of its smallest unit." }),
	})
	.meta({ id: "SumCurrency", description: "What exact sums are counted in: ETH, in wei." });

/** The exact integer of a volume, and its currency. */
export const volumeFields = {
	volumeRaw: field
		.digits("The volume as an exact integer of `volumeCurrency`.", "54300000000000000000")
		.nullable(),
	volumeCurrency: currencySchema,
};
