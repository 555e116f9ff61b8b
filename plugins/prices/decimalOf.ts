/** The largest power of ten in an amount of money: `UNITS_BOUND` has 78 digits. */
const EXPONENT_MAX = 78;

/**
 * Returns a function that gives a JSON number in base units of so many decimals, rounded down. It
 * uses the shortest text that reads back as the double, which is what the sender wrote; the
 * double's own value is not (0.07 is 0.070000000000000006…). Null for a number that is no amount.
 *
 * @example decimalOf(0.07)?.(18) // 70000000000000000n
 */
export function decimalOf(value: number): ((decimals: number) => bigint) | null {
	if (!Number.isFinite(value) || value < 0) return null;
	const [mantissa = "", exponentText = "0"] = String(value).split("e");
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = BigInt(whole + fraction);
	const exponent = Number(exponentText) - fraction.length;
	if (exponent > EXPONENT_MAX) return null;
	return (decimals) => {
		const shift = decimals + exponent;
		return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
	};
}
