import type { Currency } from "../market/Market.ts";
import { CHAIN, type Office } from "./Office.ts";

/** Renders a payment token with its prices, which are texts. */
export function renderCurrency(office: Office, currency: Currency): Record<string, unknown> {
	const { symbol, address, name, decimals, etherPerUnit } = currency;
	return {
		symbol,
		address,
		chain: CHAIN,
		image: "",
		name,
		decimals,
		eth_price: String(etherPerUnit),
		usd_price: String(etherPerUnit * office.usdPerEther),
	};
}
