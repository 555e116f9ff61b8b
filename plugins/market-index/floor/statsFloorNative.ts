import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderFigure } from "#plugins/provider/contract.ts";

/** The symbols of ether. */
const ETH_SYMBOLS = new Set(["ETH", "WETH"]);

/**
 * Returns the floor of a provider's stats in wei of ETH. It is stated in the collection's own
 * currency and used only if that is ETH: for any other the best ask of the book is used.
 */
export function statsFloorNative(
	floor: ProviderFigure,
	{ chainId, prices, nowMs }: Rates,
): bigint | null {
	if (!floor || !ETH_SYMBOLS.has(floor.symbol.toUpperCase())) return null;
	return prices.nativeOfSymbol(chainId, "ETH", floor.value, nowMs);
}

type Rates = { chainId: number; prices: Pick<Prices, "nativeOfSymbol">; nowMs: number };
