const ENDED: ReadonlySet<string> = new Set(["confirmed", "failed", "rejected", "expired"]);

/** Whether nothing more happens to an intent by itself, but for a reorg. */
export function isEnded({ status }: { status: string }): boolean {
	return ENDED.has(status);
}
