import { field } from "#core/http/openapi/field.ts";

/** How answers about a book say how much of it they can know. */
export const bookReadAtSchema = field
	.time(
		"When the provider's whole order book was last read; null: never, so what is missing here may " +
			"be there. Asking for it has it read.",
	)
	.nullable();
