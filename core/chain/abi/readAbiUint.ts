/** Reads a contract's answer of exactly one word as a number; null for anything else. */
export function readAbiUint(answer: unknown): bigint | null {
	if (typeof answer !== "string" || !/^0x[0-9a-f]{64}$/i.test(answer)) return null;
	return BigInt(answer);
}
