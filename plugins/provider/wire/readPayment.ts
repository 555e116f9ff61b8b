import type { ProviderPayment } from "#plugins/provider/contract.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** What was paid; null where nothing was, or where nobody can say how much. */
export function readPayment(row: unknown): ProviderPayment | null {
	const { data } = wire.payment.safeParse(row);
	if (!data || data.quantity === null) return null;
	return {
		totalRaw: data.quantity,
		currency: data.token_address,
		decimals: data.decimals,
		symbol: data.symbol,
	};
}
