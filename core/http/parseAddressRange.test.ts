import { expect, test } from "bun:test";
import { parseAddressRange } from "#core/http/parseAddressRange.ts";

const read: [text: string, range: string][] = [
	["10.0.0.0/8", "10.0.0.0/8"],
	["203.0.113.7", "203.0.113.7/32"],
	["0.0.0.0/0", "0.0.0.0/0"],
	["2001:DB8::/32", "2001:db8::/32"],
	["::1", "::1/128"],
	["::ffff:10.0.0.0/104", "10.0.0.0/8"],
	["::ffff:10.1.2.3", "10.1.2.3/32"],
	["::ffff:0:0/90", "::ffff:0:0/90"],
];
for (const [text, range] of read) {
	test(`${text} is ${range}`, () => {
		expect(parseAddressRange(text)?.join("/")).toBe(range);
	});
}

for (const text of [
	"",
	"/",
	"10.0.0.0/",
	"10.0.0.0/33",
	"10.0.0.0/-1",
	"10.0.0.0/8/8",
	"10.0.0.0/ 8",
	"10.0/16",
	"010.0.0.1",
	"0x7f.0.0.1",
	"167772161",
	"256.0.0.1",
	"::1/129",
	"[::1]",
	"proxy.example",
	"*",
]) {
	test(`${JSON.stringify(text)} is no range`, () => {
		expect(parseAddressRange(text)).toBeNull();
	});
}
