import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isPublicAddress, isPublicHost, parseForeignUrl, siteOf } from "#core/foreign/addresses.ts";

describe("isPublicAddress", () => {
	test("[SEC-05] special addresses are not public, first and last of each range", () => {
		const special = [
			...[
				"0.0.0.0",
				"0.255.255.255",
				"10.0.0.0",
				"10.255.255.255",
				"100.64.0.0",
				"100.100.100.200",
			],
			...["100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.0.1", "169.254.169.254"],
			...["172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1"],
			...["192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7"],
			...["203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
			...["168.63.129.16", "::", "::1", "::127.0.0.1", "::7f00:1", "::808:808", "::ffff:127.0.0.1"],
			...["::ffff:7f00:1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808"],
			...[
				"64:ff9b:1::1",
				"100::1",
				"2001::1",
				"2001:0:4136:e378:8000:63bf:3fff:fdd2",
				"2001:10::1",
			],
			...["2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "fc00::1"],
			...[
				"fd00:ec2::254",
				"fd20:ce::254",
				"fe80::1",
				"fe80::1%lo",
				"fec0::1",
				"ff02::1",
				"5f00::1",
			],
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

	test("a text that is no IP address in plain notation is not public", () => {
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

	test("[SEC-05] an IPv6 address that embeds a special IPv4 address is not public", () => {
		const word = fc.nat({ max: 0xffff });
		const prefixes = ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::", "2002:"];
		fc.assert(
			fc.property(
				fc.constantFrom(...prefixes),
				fc.nat({ max: 0xffffff }),
				word,
				(prefix, low, tail) => {
					const [high, next] = [0x7f00 | (low >> 16), low & 0xffff].map((part) =>
						part.toString(16),
					);
					const rest = prefix === "2002:" ? `::${tail.toString(16)}` : "";
					expect(isPublicAddress(`${prefix}${high}:${next}${rest}`)).toBe(false);
				},
			),
		);
	});
});

describe("isPublicHost", () => {
	test("names with dots and public addresses count as public", () => {
		for (const host of ["a.test", "xn--bcher-kva.example", "93.184.215.14", "[2606:4700::1111]"]) {
			expect(isPublicHost(host)).toBe(true);
		}
	});

	test("names of local networks, single labels and special addresses do not count as public", () => {
		const local = [
			"localhost",
			"a.localhost",
			"nas.local",
			"router.lan",
			"x.internal",
			"printer",
			"",
		];
		const addresses = [
			"127.0.0.1",
			"10.0.0.7",
			"169.254.169.254",
			"100.64.0.1",
			"[::1]",
			"[fe80::1]",
		];
		const mapped = ["[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"];
		for (const host of [...local, ...addresses, ...mapped, "a.test.", ".a.test", "[x]"]) {
			expect(isPublicHost(host), host).toBe(false);
		}
	});
});

describe("parseForeignUrl", () => {
	const parse = (text: string, allowedOrigins: string[] = []) =>
		parseForeignUrl(text, { allowedOrigins, ports: [80, 443] });

	test("a website's URL is parsed as browsers parse it", () => {
		expect(parse("https://Example.com/a b".replace(" ", "%20"))).toMatchObject({
			host: "example.com",
			isAllowed: false,
		});
		expect(parse("http://example.com:80/#x").url.href).toBe("http://example.com/");
		expect(parse("https://bücher.example/").host).toBe("xn--bcher-kva.example");
		expect(parse("http://[2606:4700::1111]/").host).toBe("2606:4700::1111");
	});

	test("[SEC-05] URLs that are not a website's are refused before any DNS query", () => {
		const refused = [
			"",
			"example.com",
			"//example.com/",
			"file:///etc/hostname",
			"data:,x",
			"s3://bucket/key",
			"ftp://example.com/",
			"gopher://example.com/",
			"http:example.com",
			"http:/example.com",
			"http:\\\\example.com\\",
			"http://example.com\\@127.0.0.1/",
			"http://user@example.com/",
			"http://user:secret@example.com/",
			"http://:@example.com@example.org/",
			"http://example.com:22/",
			"http://example.com:8080/",
			"https://example.com:99999/",
			"http://exam\nple.com/",
			"http://example.com/\u0000",
			" http://example.com/",
			"http://example.com/ x",
			"http://localhost/",
			"http://LOCALHOST./",
			"http://a.localhost/",
			"http://printer/",
			"http://metadata.google.internal/",
			"http://router.lan/",
			"http://nas.local/",
			"http://example.com./",
			"http://[::1%25lo]/",
			"http://[fe80::1%lo]/",
			"http://%00.example.com/",
			`http://example.com/${"x".repeat(2_048)}`,
			`http://example.com/${"é".repeat(1_000)}`,
		];
		for (const text of refused) expect(() => parse(text), text).toThrow("foreign_refused");
	});

	test("an origin that the operator allowed may be local; another port or scheme of it may not", () => {
		const allowed = ["http://127.0.0.1:8080", "http://ipfs:8080"];
		expect(parse("http://127.0.0.1:8080/ipfs/a", allowed).isAllowed).toBe(true);
		expect(parse("http://ipfs:8080/ipfs/a", allowed).isAllowed).toBe(true);
		const neighbours = ["http://127.0.0.1:8081/", "https://127.0.0.1:8080/", "http://ipfs/"];
		for (const text of [...neighbours, "http://ipfs:8080@127.0.0.1:80/", "http://ipfs:80801/"]) {
			expect(() => parse(text, allowed), text).toThrow("foreign_refused");
		}
		expect(() => parse("http://x:y@127.0.0.1:8080/", allowed)).toThrow("foreign_refused");
	});
});

describe("siteOf", () => {
	test("all names below a registered domain are one site, and so are all addresses of a network", () => {
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
});
