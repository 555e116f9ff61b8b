/** An amount of dollars for one line: cents, or more digits where it is below a dollar. */
export function dollarWords(usd: number): string {
	const digits = Math.abs(usd) >= 1 || usd === 0 ? 2 : 6;
	const text = usd.toLocaleString("en-US", {
		minimumFractionDigits: 2,
		maximumFractionDigits: digits,
	});
	return `$${text}`;
}

/** How old something is, in its largest unit. */
export function ageWords(seconds: number): string {
	if (seconds < 120) return `${seconds} s`;
	if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
	if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
	return `${Math.floor(seconds / 86_400)} days`;
}
