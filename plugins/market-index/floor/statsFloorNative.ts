import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderFigure } from "#plugins/provider/contract.ts";

/** What people and providers call ether. */
const ETH_SYMBOLS = new Set(["ETH", "WETH"]);

/**
 * The floor of a provider's stats in wei of ETH. It is quoted in the collection's own currency and
 * taken only where that is ETH: for any other the best ask of the book is what is known.
 */
export function statsFloorNative(
	floor: ProviderFigure,
	{ chainId, prices, nowMs }: Rates,
): bigint | null {
	if (!floor || !ETH_SYMBOLS.has(floor.symbol.toUpperCase())) return null;
	return prices.nativeOfSymbol(chainId, "ETH", floor.value, nowMs);
}

type Rates = { chainId: number; prices: Pick<Prices, "nativeOfSymbol">; nowMs: number };
