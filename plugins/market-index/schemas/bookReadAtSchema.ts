import { field } from "#core/http/openapi/field.ts";

/** The member by which answers about a book state how complete it is. */
export const bookReadAtSchema = field
	.time(
		"When the provider's whole order book was last read; null: never, so what is missing here may " +
			"be there. Asking for it has it read.",
	)
	.nullable();
