/** One partition's span of time, `[fromMs, toMs)`. */
export type Month = { name: string; fromMs: number; toMs: number };

/** Returns the months (UTC) that a span of time touches, oldest first. */
export function monthsOf(fromMs: number, toMs: number): Month[] {
	const months: Month[] = [];
	const start = new Date(fromMs);
	let at = Date.UTC(start.getUTCFullYear(), start.getUTCMonth());
	while (at <= toMs) {
		const first = new Date(at);
		const next = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1);
		months.push({
			name: first.toISOString().slice(0, 7).replace("-", "_"),
			fromMs: at,
			toMs: next,
		});
		at = next;
	}
	return months;
}
