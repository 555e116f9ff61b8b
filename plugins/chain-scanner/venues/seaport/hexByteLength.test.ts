import { expect, test } from "bun:test";
import { hexByteLength } from "#plugins/chain-scanner/venues/seaport/hexByteLength.ts";

test("[ING-12] whole bytes of hex are counted, anything else has no length", () => {
	expect(hexByteLength("0x")).toBe(0);
	expect(hexByteLength("0xAbCd")).toBe(2);
	for (const text of ["", "0", "0x0", "0xzz", "abcd", "0X12", "0x12 ", "0x12\n"]) {
		expect(hexByteLength(text)).toBeNull();
	}
});

test("[ING-12] megabytes of hex are checked without trouble", () => {
	expect(hexByteLength(`0x${"ab".repeat(8_000_000)}`)).toBe(8_000_000);
});
