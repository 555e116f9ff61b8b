import { z } from "zod";
import { formatAmount } from "#core/money/formatAmount.ts";
import type { Plan } from "#plugins/wallets/contract.ts";

export type ShownPayment = {
	recipient: string;
	isSeller: boolean;
	amount: string;
	symbol: string;
};

/** How kinds that pay several at once write it into what they show. */
const shownPayments = z.object({
	seller: z.string().optional(),
	payments: z.array(
		z.object({
			recipient: z.string(),
			amountRaw: z.string().regex(/^\d{1,78}$/),
			symbol: z.string(),
			decimals: z.int().min(0).max(255),
		}),
	),
});

/** Reads who gets what of a plan's spend, where its kind says so. */
export function paymentsOf({ shown }: Pick<Plan, "shown">): ShownPayment[] {
	const { data } = shownPayments.safeParse(shown);
	if (!data) return [];
	return data.payments.map(({ recipient, amountRaw, symbol, decimals }) => ({
		recipient,
		isSeller: recipient === data.seller,
		amount: formatAmount({ units: BigInt(amountRaw), currency: { symbol, decimals } }),
		symbol,
	}));
}
