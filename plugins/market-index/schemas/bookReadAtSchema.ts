import { z } from "zod";

/** How answers about a book say how much of it they can know. */
export const bookReadAtSchema = z
	.string()
	.nullable()
	.meta({
		description:
			"When the provider's whole book was last read; null: never, so what is missing here may be " +
			"there. Asking puts it in line.",
	});
