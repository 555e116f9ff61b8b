import { expect, test } from "bun:test";
import { createLoneFailures } from "#plugins/market-index/pace/createLoneFailures.ts";

test("failures count while pages of others come, and not while the provider answers nobody", () => {
	const { came, failed } = createLoneFailures();
	expect([failed(1), failed(1), failed(2), failed(1)]).toEqual([0, 0, 0, 0]);
	came(2);
	expect(failed(1)).toBe(1);
	expect(failed(1)).toBe(1);
	came(2);
	expect(failed(1)).toBe(2);
	came(1);
	came(2);
	expect(failed(1)).toBe(0);
});
