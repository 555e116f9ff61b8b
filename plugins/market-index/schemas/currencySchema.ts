import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** The currency in which a price was, or is to be, paid. */
export const currencySchema = z
	.object({
		symbol: field.text("Its symbol; null until its contract was asked.", "WETH").nullable(),
		address: field.address("Its contract; the zero address for the chain's native currency."),
		decimals: field
			.integer("Decimal places of its smallest unit; null until its contract was asked.", 18)
			.nullable(),
	})
	.meta({ id: "Currency", description: "The currency that a trade is settled in." });
