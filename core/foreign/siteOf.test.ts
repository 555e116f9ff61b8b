import { expect, test } from "bun:test";
import { siteOf } from "#core/foreign/siteOf.ts";

test("names below one that was bought are of one site, and so is an owner's network", () => {
	const sites: [string, string[]][] = [
		["example.com", ["example.com", "a.example.com", "x.y.z.example.com"]],
		["shop.co.uk", ["shop.co.uk", "a.shop.co.uk"]],
		["ipv4 8.8.8", ["8.8.8.8", "8.8.8.9"]],
		["ipv6 38.6.71.0.0.0", ["2606:4700::1111", "2606:4700:0:99::1"]],
	];
	for (const [site, hosts] of sites) {
		for (const host of hosts) expect([host, siteOf(host)]).toEqual([host, site]);
	}
	expect(siteOf("a.co.uk")).not.toBe(siteOf("b.co.uk"));
	expect(siteOf("8.8.9.8")).not.toBe(siteOf("8.8.8.8"));
	expect(siteOf("printer")).toBe("printer");
});
