import { expect, test } from "bun:test";
import { renderCandle } from "#plugins/market-index/rollup/renderCandle.ts";

test("a candle shows the nearest number to each exact amount, and its time in UTC", () => {
	const row = {
		bucket: new Date(Date.UTC(2026, 2, 10, 14, 37)),
		open: "1000000000000000001",
		high: "123456789012345678901234567890",
		low: "1",
		close: "0",
		volume: (2n ** 256n - 1n).toString(),
		sales: 3,
	};
	expect(renderCandle(row)).toEqual({
		openTime: "2026-03-10T14:37:00.000Z",
		open: 1,
		high: 123_456_789_012.345_67,
		low: 1e-18,
		close: 0,
		volumeNative: Number(2n ** 256n - 1n) / 1e18,
		volumeRaw: (2n ** 256n - 1n).toString(),
		volumeCurrency: { symbol: "ETH", decimals: 18 },
		sales: 3,
	});
});
