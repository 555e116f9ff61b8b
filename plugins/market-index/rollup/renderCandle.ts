import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";
import { nativeCurrency } from "#plugins/market-index/display/nativeCurrency.ts";
import type { Candle } from "#plugins/market-index/rollup/Candle.ts";

/** A rollup row with at least one priced sale; amounts are wei as decimal strings. */
export type CandleRow = {
	bucket: Date;
	open: string;
	high: string;
	low: string;
	close: string;
	volume: string;
	sales: number;
};

const WEI_DECIMALS = 18;

export function renderCandle(row: CandleRow): Candle {
	const native = (wei: string) => toDisplayNumber(BigInt(wei), WEI_DECIMALS);
	return {
		openTime: row.bucket.toISOString(),
		open: native(row.open),
		high: native(row.high),
		low: native(row.low),
		close: native(row.close),
		volumeNative: native(row.volume),
		volumeRaw: row.volume,
		volumeCurrency: nativeCurrency,
		sales: row.sales,
	};
}
