import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** One price of one side of an order book. */
export const depthLevelSchema = z
	.object({
		priceNative: field
			.number("Price of one unit in ETH equivalents; null = unknown.", 1.2)
			.nullable(),
		orders: field.integer("Orders at this price.", 2),
		units: field.digits("Units at this price.", "3"),
	})
	.meta({ id: "DepthLevel", description: "All orders of one side that ask the same price." });
