import { displayNative } from "#plugins/market-index/display/displayNative.ts";

/** A stored floor for display. A floor of zero is one that nobody has counted yet: unknown. */
export function displayFloor(wei: string | null): number | null {
	return displayNative(wei) || null;
}
