import { expect, test } from "bun:test";
import { isIPv4 } from "node:net";
import fc from "fast-check";
import { isPlainIpv4 } from "#core/http/isPlainIpv4.ts";

// Compared with the platform's own check, which refuses leading zeros too.
test("[SEC-02] every IPv4 address in its one spelling is known, and nothing else is", () => {
	const nearly = fc.array(fc.constantFrom("0", "1", "2", "5", "6", "9", "25", "255", "256", "."), {
		maxLength: 9,
	});
	fc.assert(fc.property(fc.ipV4(), (text) => isPlainIpv4(text)));
	fc.assert(
		fc.property(
			fc.oneof(
				fc.string({ maxLength: 16 }),
				nearly.map((parts) => parts.join("")),
				fc
					.array(fc.integer({ min: -1, max: 300 }), { maxLength: 5 })
					.map((parts) => parts.join(".")),
			),
			(text) => {
				expect(isPlainIpv4(text)).toBe(isIPv4(text));
			},
		),
		{ numRuns: 2_000 },
	);
});

test("an address with anything around it is refused", () => {
	for (const text of ["", ".", "...", "1.2.3", "1.2.3.", ".1.2.3", "1.2.3.4.", "1.2.3.4.5"]) {
		expect(isPlainIpv4(text)).toBe(false);
	}
	for (const text of ["1.2.3.4 ", " 1.2.3.4", "1.2.3.04", "1.2.3.4\n", "1.2.3.4:5", "１.2.3.4"]) {
		expect(isPlainIpv4(text)).toBe(false);
	}
});
