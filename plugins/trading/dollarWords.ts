/** An amount of dollars for one line: cents, or more digits where it is below a dollar. */
export function dollarWords(usd: number): string {
	const digits = Math.abs(usd) >= 1 || usd === 0 ? 2 : 6;
	const text = usd.toLocaleString("en-US", {
		minimumFractionDigits: 2,
		maximumFractionDigits: digits,
	});
	return `$${text}`;
}
