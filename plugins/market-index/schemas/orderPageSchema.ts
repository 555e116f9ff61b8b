import { z } from "zod";
import { pageSchema } from "#core/http/pageSchema.ts";
import { bookReadAtSchema } from "#plugins/market-index/schemas/bookReadAtSchema.ts";
import { orderSchema } from "#plugins/market-index/schemas/orderSchema.ts";

/** A page of one side of a book. */
export const orderPageSchema = z
	.object({
		data: z
			.array(orderSchema)
			.nullable()
			.meta({
				description:
					"Active orders, the best price first; null where the book was not read and nothing of it was " +
					"pushed: not known.",
			}),
		page: pageSchema,
		bookReadAt: bookReadAtSchema,
	})
	.meta({ id: "OrderPage", description: "A page of one side of a collection's order book." });
