import { z } from "zod";

const amount = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/)
	.transform(BigInt);

const orderSchema = z.object({
	parameters: z.object({
		offerer: z.string(),
		consideration: z
			.array(z.object({ recipient: z.string(), startAmount: amount, itemType: z.coerce.number() }))
			.max(100),
	}),
});

/** Item types of a Seaport order that are payments. */
const MONEY_TYPE_MAX = 1;

/**
 * Returns the part of a listing's price that others than its seller get, in base units, by its
 * signed order; null without a readable order.
 */
export function feeOfOrder(protocolData: unknown): bigint | null {
	const read = orderSchema.safeParse(protocolData);
	if (!read.success) return null;
	const { offerer, consideration } = read.data.parameters;
	let fee = 0n;
	for (const { recipient, startAmount, itemType } of consideration) {
		if (itemType > MONEY_TYPE_MAX) return null;
		if (recipient.toLowerCase() !== offerer.toLowerCase()) fee += startAmount;
	}
	return fee;
}
