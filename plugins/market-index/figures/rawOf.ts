import type { Figure } from "#plugins/market-index/rollup/Figure.ts";

/** Returns the exact integer behind an amount of ETH, in wei; null where the amount is unknown. */
export function rawOf(figure: Pick<Figure, "value">, wei: string | null): string | null {
	return figure.value === null ? null : wei;
}
