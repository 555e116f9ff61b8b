import { readUint } from "#plugins/provider/wire/readUint.ts";

/** Reads a row's number of units: one where it is missing, null where it is invalid. */
export function readUnits(value: unknown): bigint | null {
	return value === undefined || value === null ? 1n : readUint(value);
}
