import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** One holder of a collection. */
export const holderSchema = z
	.object({
		address: field.address("Who holds them."),
		units: field.digits("Units held, of all token ids together.", "42"),
	})
	.meta({ id: "Holder", description: "One holder of a collection." });
