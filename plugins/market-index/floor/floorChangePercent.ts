/**
 * Returns the change from a floor of a day ago to the present one, in percent; null where either is
 * unknown.
 */
export function floorChangePercent(now: string | null, before: string | null): number | null {
	if (now === null || before === null) return null;
	const from = Number(before);
	const to = Number(now);
	return from > 0 && to > 0 ? ((to - from) / from) * 100 : null;
}
