import { displayNative } from "#plugins/market-index/render/displayNative.ts";

/** A volume for display. Zero beside sales means that no sale has a known price: unknown. */
export function displayVolume(wei: string, sales: number): number | null {
	const volume = displayNative(wei);
	return volume === 0 && sales > 0 ? null : volume;
}
