import { displayNative } from "#plugins/market-index/display/displayNative.ts";

/** Returns a stored floor for display. Zero means not counted yet: unknown. */
export function displayFloor(wei: string | null): number | null {
	return displayNative(wei) || null;
}
