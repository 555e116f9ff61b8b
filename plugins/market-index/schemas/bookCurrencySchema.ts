import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** The currency of an order, as the provider states it. */
export const bookCurrencySchema = z
	.object({
		symbol: field.text("Its symbol; null where the provider gave none.", "ETH").nullable(),
		address: field
			.address("Its contract; the zero address for the chain's native currency, null = unknown.")
			.nullable(),
		decimals: field.integer("Decimal places of its smallest unit.", 18),
	})
	.meta({ id: "BookCurrency", description: "The currency that an order of the book is paid in." });
