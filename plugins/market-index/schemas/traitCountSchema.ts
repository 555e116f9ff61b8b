import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** How many tokens have one value of one trait, and what the cheapest of them costs. */
export const traitCountSchema = z
	.object({
		type: field.text("The trait's name.", "Background"),
		value: field.text("One of its values.", "Dusk"),
		count: field.integer("Tokens that have it.", 311),
		floorNative: field
			.number("The best ask for one of them in ETH equivalents; null where none is known.", 1.4)
			.nullable(),
	})
	.meta({
		id: "TraitCount",
		description: "One value of one trait, with its tokens and its floor.",
	});
