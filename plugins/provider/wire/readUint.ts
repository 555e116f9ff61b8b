const UINT256_MAX = (1n << 256n) - 1n;

/**
 * Reads an amount, an id or a count, exactly: decimal or hexadecimal text, or a number that a
 * double holds. Null for everything else, and for more than a uint256.
 */
export function readUint(value: unknown): bigint | null {
	if (typeof value === "number") {
		return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
	}
	if (typeof value !== "string") return null;
	if (!/^(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value)) return null;
	const amount = BigInt(value);
	return amount <= UINT256_MAX ? amount : null;
}
