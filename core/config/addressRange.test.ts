import { expect, test } from "bun:test";
import { addressRange } from "#core/config/addressRange.ts";

test("an address or a range is taken as it is, a name or a range that is none is refused", () => {
	for (const text of ["10.0.0.0/8", "203.0.113.7", "fd00::/8"]) {
		expect(addressRange.parse(text)).toBe(text);
	}
	for (const text of ["proxy.example", "10.0.0.0/33", "10.1", ""]) {
		expect(addressRange.safeParse(text).success).toBe(false);
	}
});
