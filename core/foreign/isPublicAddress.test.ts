import { expect, test } from "bun:test";
import fc from "fast-check";
import { isPublicAddress } from "#core/foreign/isPublicAddress.ts";

test("[SEC-05] special addresses are not public, first and last of each range", () => {
	const special = [
		...["0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200"],
		...["100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.0.1", "169.254.169.254"],
		...["172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1"],
		...["192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7"],
		...["203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
		...["168.63.129.16", "::", "::1", "::127.0.0.1", "::7f00:1", "::808:808", "::ffff:127.0.0.1"],
		...["::ffff:7f00:1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808"],
		...["64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1"],
		...["2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "fc00::1"],
		...["fd00:ec2::254", "fd20:ce::254", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "5f00::1"],
		...["2606:4700::5efe:7f00:1", "2606:4700::200:5efe:808:808", "2620:4f:8000::1"],
		...["4000::1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"],
	];
	for (const address of special)
		expect([address, isPublicAddress(address)]).toEqual([address, false]);
});

test("ordinary addresses are public", () => {
	const ordinary = ["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "192.1.0.1"];
	for (const address of [...ordinary, "2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8"]) {
		expect([address, isPublicAddress(address)]).toEqual([address, true]);
	}
});

test("what is no address in plain notation is not public", () => {
	const others = [
		"",
		"8",
		"8.8",
		"8.8.8",
		"0x8.8.8.8",
		"010.8.8.8",
		"08.8.8.8",
		"8.8.8.8.",
		" 8.8.8.8",
	];
	for (const text of [
		...others,
		"8.8.8.8/32",
		"[2606:4700::1]",
		"2606:4700::1%eth0",
		"example.com",
	]) {
		expect([text, isPublicAddress(text)]).toEqual([text, false]);
	}
});

test("[SEC-05] no IPv6 address that carries an IPv4 one hides a special one", () => {
	const word = fc.nat({ max: 0xffff });
	const prefixes = ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::", "2002:"];
	fc.assert(
		fc.property(
			fc.constantFrom(...prefixes),
			fc.nat({ max: 0xffffff }),
			word,
			(prefix, low, tail) => {
				const [high, next] = [0x7f00 | (low >> 16), low & 0xffff].map((part) => part.toString(16));
				const rest = prefix === "2002:" ? `::${tail.toString(16)}` : "";
				expect(isPublicAddress(`${prefix}${high}:${next}${rest}`)).toBe(false);
			},
		),
	);
});
