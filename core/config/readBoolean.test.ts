import { expect, test } from "bun:test";
import { readBoolean } from "#core/config/readBoolean.ts";

test("six spellings, in any case, and no other", () => {
	for (const text of ["true", "1", "yes", "TRUE", " Yes "]) expect(readBoolean(text)).toBe(true);
	for (const text of ["false", "0", "no", "False"]) expect(readBoolean(text)).toBe(false);
	for (const text of ["", "on", "off", "y", "n", "2", "-0", "truee", "null", "__proto__"]) {
		expect(readBoolean(text)).toBeUndefined();
	}
});
