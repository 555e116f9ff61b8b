/** Dollars as somebody reads them. */
export function dollars(usd: number): string {
	return new Intl.NumberFormat("en", { style: "currency", currency: "USD" }).format(usd);
}
