import type { ProviderPayment } from "#plugins/provider/contract.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** Reads a payment; null where there was none, or its amount is not stated. */
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
