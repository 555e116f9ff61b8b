import { readUint } from "#plugins/provider/wire/readUint.ts";

/** How many units a row is of: one where it does not say, null where it says what cannot be. */
export function readUnits(value: unknown): bigint | null {
	return value === undefined || value === null ? 1n : readUint(value);
}
