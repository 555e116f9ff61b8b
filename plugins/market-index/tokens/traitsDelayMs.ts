import { TRAITS_EVERY_MS } from "#plugins/market-index/tokens/limits.ts";

/**
 * Returns how long counting traits waits, in ms: until the last counts are old enough, and while a
 * collection is still being read as long as if it had just been counted.
 */
export function traitsDelayMs(
	{ traitsAt }: { traitsAt: Date | null },
	end: "done" | "late" | "unreachable",
	nowMs: number,
): number {
	if (end === "late") return TRAITS_EVERY_MS;
	if (traitsAt === null) return 0;
	return Math.max(traitsAt.getTime() + TRAITS_EVERY_MS - nowMs, 0);
}
