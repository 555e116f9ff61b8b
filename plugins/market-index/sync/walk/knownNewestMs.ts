import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import type { ProviderEventType } from "#plugins/provider/contract.ts";

/**
 * Returns the time of the newest event that the list had for exactly these kinds; null where other
 * kinds were read last. A newest sale says nothing about a list with mints: a running mint would be
 * read again down to that sale, each time.
 */
export function knownNewestMs(
	{ newestAt, newestTypes }: Pick<ClaimedTurn, "newestAt" | "newestTypes">,
	types: readonly ProviderEventType[],
): number | null {
	const isSame =
		newestTypes?.length === types.length && newestTypes.every((type) => types.includes(type));
	return isSame ? (newestAt?.getTime() ?? null) : null;
}
