import { expect } from "bun:test";

/** Expects a number to nine decimals, or that it is unknown. */
export function near(value: number | null | undefined, expected: number | null): void {
	if (expected === null) expect(value).toBeNull();
	else expect(value).toBeCloseTo(expected, 9);
}
