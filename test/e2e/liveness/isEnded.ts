const ENDED: ReadonlySet<string> = new Set(["confirmed", "failed", "rejected", "expired"]);

/** Says whether an intent has ended: only a reorg can still change it. */
export function isEnded({ status }: { status: string }): boolean {
	return ENDED.has(status);
}
