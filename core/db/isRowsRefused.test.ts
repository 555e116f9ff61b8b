import { expect, test } from "bun:test";
import { isRowsRefused } from "#core/db/isRowsRefused.ts";

const failed = (code: unknown) => Object.assign(new Error("no"), { code });

test("only what the server says of the rows themselves is the rows' fault", () => {
	for (const code of ["22003", "22P02", "23505", "23514"]) {
		expect(isRowsRefused(failed(code))).toBe(true);
	}
	for (const code of ["40P01", "57P01", "55P03", "ECONNRESET", 22_003, undefined]) {
		expect(isRowsRefused(failed(code))).toBe(false);
	}
	expect(isRowsRefused(new Error("no"))).toBe(false);
	expect(isRowsRefused("22003")).toBe(false);
});
