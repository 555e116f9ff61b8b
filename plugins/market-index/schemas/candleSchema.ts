import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import type { Candle } from "#plugins/market-index/rollup/Candle.ts";
import { volumeFields } from "#plugins/market-index/schemas/volumeFields.ts";

export const candleSchema = z
	.object({
		openTime: field.time("When the interval begins."),
		open: field.number("Price of the interval's first sale, in ETH equivalents a unit.", 1.2),
		high: field.number("Highest price, in ETH equivalents a unit.", 1.4),
		low: field.number("Lowest price, in ETH equivalents a unit.", 1.1),
		close: field.number("Price of the interval's last sale, in ETH equivalents a unit.", 1.3),
		volumeNative: field.number("Sum of all sales, in ETH equivalents.", 5),
		volumeRaw: field.digits(
			"`volumeNative` as an exact integer of `volumeCurrency`.",
			"5000000000000000000",
		),
		volumeCurrency: volumeFields.volumeCurrency,
		sales: field.integer("Accepted sales of the interval, also those whose price is not known.", 4),
	})
	.meta({
		id: "Candle",
		description: "Accepted sales of one interval, in ETH equivalents for one unit.",
	}) satisfies z.ZodType<Candle>;
