import { assert } from "#core/fault/assert.ts";

/**
 * Fields of a row as they must be to be worked with. What does not fit makes the row unreadable,
 * and that row alone: an int8 beyond 2^53 comes from the driver as a bigint, `infinity` as a
 * number.
 */
export const rowField = {
	/** Not negative, and at most `max`. */
	whole(value: unknown, max = Number.MAX_SAFE_INTEGER): number {
		const isWhole = typeof value === "number" && Number.isSafeInteger(value);
		assert(isWhole && value >= 0 && value <= max, `${value} is no number up to ${max}`);
		return value;
	},
	wholeOrNull(value: unknown, max?: number): number | null {
		return value === null ? null : rowField.whole(value, max);
	},
	timeMs(value: unknown): number {
		const isTime = value instanceof Date && Number.isFinite(value.getTime());
		assert(isTime, `${value} is no time`);
		return value.getTime();
	},
	timeMsOrNull(value: unknown): number | null {
		return value === null ? null : rowField.timeMs(value);
	},
};
