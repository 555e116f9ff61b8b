import { describe, expect, test } from "bun:test";
import { isIPv4 } from "node:net";
import fc from "fast-check";
import {
	clientAddress,
	createProxyList,
	isPlainIpv4,
	parseAddressRange,
	privateNetworks,
} from "#core/http/clients.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

describe("clientAddress", () => {
	const socketAddress = "10.0.0.9";
	/** A proxy with a public address, listed together with the private networks. */
	const EDGE = "198.51.100.1";

	const metrics = createMetrics();
	const trustedProxies = [...privateNetworks, EDGE];
	const proxies = createProxyList({ trustedProxies, log: silentLog, metrics });

	function addressOf(
		forwarded: string | undefined,
		trustedProxyHops = 1,
		socket: string | null = socketAddress,
	) {
		const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
		const request = new Request("http://localhost/", { headers });
		return clientAddress(request, { socketAddress: () => socket, trustedProxyHops, proxies });
	}

	const cases: [name: string, forwarded: string | undefined, hops: number, address: string][] = [
		["one hop takes the last entry", "1.1.1.1, 203.0.113.7", 1, "203.0.113.7"],
		["two hops take the second from the right", "9.9.9.9, 203.0.113.7, 10.0.0.1", 2, "203.0.113.7"],
		["no hop takes the socket's address", "203.0.113.7", 0, socketAddress],
		["no header falls back to the socket", undefined, 1, socketAddress],
		["with too few entries it is the one that there is", "203.0.113.7", 2, "203.0.113.7"],
		["two hops through a listed public proxy", `9.9.9.9, 203.0.113.7, ${EDGE}`, 2, "203.0.113.7"],
		["three hops, all listed", `9.9.9.9, 203.0.113.7, ${EDGE}, 10.0.0.1`, 3, "203.0.113.7"],
		[
			"who goes past the outer proxy is seen by the inner one",
			"9.9.9.9, 203.0.113.7",
			2,
			"203.0.113.7",
		],
		["a client that is a proxy's neighbour", "10.0.0.5, 10.0.0.1", 2, "10.0.0.5"],
		["a listed address beyond the hops is a client", `9.9.9.9, ${EDGE}`, 1, EDGE],
		["an unreadable entry falls back to who wrote it", "unknown, 10.0.0.1", 2, "10.0.0.1"],
		["an IPv6 proxy with brackets and a port", "203.0.113.7, [fd00::1]:443", 2, "203.0.113.7"],
		["an empty entry falls back to the socket", "203.0.113.7, ", 1, socketAddress],
		["a word falls back to the socket", "unknown", 1, socketAddress],
		["a short form falls back to the socket", "127.1", 1, socketAddress],
		["a hexadecimal form falls back to the socket", "0x7f.0.0.1", 1, socketAddress],
		["a number falls back to the socket", "2130706433", 1, socketAddress],
		["an octal form falls back to the socket", "010.0.0.1", 1, socketAddress],
		["an octet too large falls back to the socket", "256.1.1.1", 1, socketAddress],
		["script falls back to the socket", "<script>", 1, socketAddress],
		["a port is taken off", "203.0.113.7:51234", 1, "203.0.113.7"],
		["brackets are taken off", "[2001:db8:1:2::5]", 1, "2001:db8:1:2::/64"],
		["brackets and port are taken off", "[2001:db8:1:2::5]:443", 1, "2001:db8:1:2::/64"],
		["an IPv6 client is its /64", "2001:db8:1:2:3:4:5:6", 1, "2001:db8:1:2::/64"],
		["a mapped address is the IPv4 client", "::ffff:203.0.113.7", 1, "203.0.113.7"],
		["a mapped address in hexadecimal too", "::ffff:cb00:7107", 1, "203.0.113.7"],
		["upper case is the same client", "2001:DB8:1:2::5", 1, "2001:db8:1:2::/64"],
		["negative hops are no hops", "203.0.113.7", -1, socketAddress],
	];
	for (const [name, forwarded, hops, address] of cases) {
		test(`${name} [SEC-02]`, () => {
			expect(addressOf(forwarded, hops)).toBe(address);
		});
	}

	test("requests without socket address and header share one client name", () => {
		expect(addressOf(undefined, 1, null)).toBe("unknown");
	});

	test("a mapped socket address is the IPv4 client", () => {
		expect(addressOf(undefined, 0, "::ffff:203.0.113.7")).toBe("203.0.113.7");
	});

	const ipv4 = fc.ipV4();
	const listed = fc.oneof(
		fc.constant(EDGE),
		fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `10.${a}.${b}.1`),
	);
	const stranger = ipv4.filter((address) => !proxies.has(address));
	const headerText = fc.stringMatching(/^[ -~]{0,40}$/);

	// Guarantee: headers that a client writes never decide which bucket it uses.
	test("entries to the left of the trusted one have no effect [SEC-02]", () => {
		fc.assert(
			fc.property(headerText, ipv4, fc.array(listed, { maxLength: 3 }), (spoofed, client, ours) => {
				const entries = [spoofed, client, ...ours].join(", ");
				expect(addressOf(entries, ours.length + 1)).toBe(client);
			}),
		);
	});

	// Guarantee: a client that reaches us directly has one bucket, however many addresses it invents.
	test("a forwarded address from a peer that is not listed is ignored [SEC-02]", () => {
		fc.assert(
			fc.property(stranger, headerText, fc.integer({ min: 0, max: 5 }), (peer, forwarded, hops) => {
				expect(addressOf(forwarded, hops, peer)).toBe(peer);
			}),
		);
		expect(addressOf("203.0.113.7", 1, null)).toBe("unknown");
		expect(addressOf("203.0.113.7", 1, "2001:db8:1:2::9")).toBe("2001:db8:1:2::/64");
		expect(addressOf("203.0.113.7", 1, `::ffff:${EDGE}`)).toBe("203.0.113.7");
	});

	test("an address forwarded by a proxy that is not listed is ignored, for any number of hops [SEC-02]", () => {
		fc.assert(
			fc.property(
				headerText,
				stranger,
				fc.array(listed, { maxLength: 3 }),
				fc.integer({ min: 1, max: 6 }),
				(spoofed, seen, ours, more) => {
					const entries = [spoofed, seen, ...ours].join(", ");
					expect(addressOf(entries, ours.length + more)).toBe(seen);
				},
			),
		);
	});

	test("all addresses in one /64 are one client, and the next /64 is another [SEC-02]", () => {
		const group = fc.integer({ min: 0, max: 0xffff });
		fc.assert(
			fc.property(
				fc.tuple(group, group, group, group),
				fc.tuple(group, group, group, group),
				(host, other) => {
					const at = (network: string, groups: number[]) =>
						addressOf(`${network}:${groups.map((part) => part.toString(16)).join(":")}`);
					expect(at("2001:db8:1:2", host)).toBe(at("2001:db8:1:2", other));
					expect(at("2001:db8:1:2", host)).not.toBe(at("2001:db8:1:3", other));
				},
			),
		);
	});

	test("a client's name is always an address, whatever the header contains", () => {
		fc.assert(
			fc.property(headerText, fc.integer({ min: 0, max: 5 }), (forwarded, hops) => {
				expect(addressOf(forwarded, hops)).toMatch(/^(\d+\.\d+\.\d+\.\d+|[0-9a-f:]+\/64)$/);
			}),
		);
	});
});

describe("createProxyList", () => {
	function open(trustedProxies: readonly string[] = privateNetworks, listensOn?: string) {
		const hints: unknown[] = [];
		const log = { ...silentLog, warn: (_: string, about?: unknown) => void hints.push(about) };
		const metrics = createMetrics();
		return { list: createProxyList({ trustedProxies, listensOn, log, metrics }), hints, metrics };
	}

	const byDefault: [address: string, isListed: boolean][] = [
		["127.0.0.1", true],
		["127.9.9.9", true],
		["::1", true],
		["10.255.0.1", true],
		["172.16.0.1", true],
		["172.32.0.1", false],
		["192.168.1.1", true],
		["192.169.1.1", false],
		["fd12:3456::1", true],
		["fe80::1", false],
		["::ffff:10.0.0.1", true],
		["::ffff:203.0.113.7", false],
		["203.0.113.7", false],
		["2001:db8::1", false],
		["100.64.0.1", false],
		["", false],
		["unknown", false],
		["10.1", false],
	];
	for (const [address, isListed] of byDefault) {
		test(`the address ${JSON.stringify(address)} is ${isListed ? "" : "not "}trusted by default`, () => {
			const { list } = open();
			expect(list.has(address)).toBe(isListed);
			// The second time the answer is remembered.
			expect(list.has(address)).toBe(isListed);
		});
	}

	test("an address is trusted exactly if it lies in a listed range", () => {
		const { list } = open(["198.51.100.0/25", "203.0.113.7", "2001:db8:5::/48"]);
		const inRange = fc.nat(255).map((last) => [`198.51.100.${last}`, last < 128] as const);
		const single = fc.nat(255).map((last) => [`203.0.113.${last}`, last === 7] as const);
		const six = fc
			.nat(0xffff)
			.map((group) => [`2001:db8:${group.toString(16)}::9`, group === 5] as const);
		fc.assert(
			fc.property(fc.oneof(inRange, single, six), ([address, isListed]) => {
				expect(list.has(address)).toBe(isListed);
			}),
		);
	});

	test("an address with a zone (fe80::1 on eth0) is matched like one without", () => {
		expect(open(["fe80::/10"]).list.has("fe80::1%eth0")).toBe(true);
	});

	test("the answers stay correct for more addresses than the list remembers", () => {
		const { list } = open(["10.0.0.0/8"]);
		for (let index = 0; index < 5_000; index += 1) list.has(`203.0.${index >> 8}.${index & 255}`);
		expect([list.has("10.0.0.1"), list.has("203.0.0.1")]).toEqual([true, false]);
	});

	const everybody: [listensOn: string | undefined, ranges: readonly string[], isSo: boolean][] = [
		["127.0.0.1", privateNetworks, true],
		["localhost", privateNetworks, true],
		["::1", privateNetworks, true],
		["127.0.0.1", ["127.0.0.1"], false],
		["localhost", ["127.0.0.0/8"], false],
		["127.0.0.1", ["10.0.0.0/8"], false],
		["127.0.0.1", [], false],
		["0.0.0.0", privateNetworks, false],
		["::", privateNetworks, false],
		["10.0.0.1", privateNetworks, false],
		[undefined, privateNetworks, false],
		[undefined, ["0.0.0.0/0", "::/0"], true],
		[undefined, ["0.0.0.0/0"], false],
	];
	for (const [listensOn, ranges, isSo] of everybody) {
		test(`a server on ${listensOn} with ${ranges.slice(0, 2).join(", ") || "nobody"} has every peer ${isSo ? "" : "not "}listed`, () => {
			expect(open(ranges, listensOn).list.hasEveryPeer).toBe(isSo);
		});
	}

	test("an ignored address is counted each time, and logged once per process", async () => {
		const { list, hints, metrics } = open();
		for (let index = 0; index < 3; index += 1) list.refuse(`203.0.113.${index}`);
		expect(hints).toEqual([{ sender: "203.0.113.0" }]);
		expect((await metrics.expose()).body).toContain("tapeline_http_forwarded_refused_total 3");
	});

	test("an entry that is no range fails an assertion", () => {
		expect(() => open(["proxy.example"])).toThrow("TRUSTED_PROXIES");
	});
});

describe("isPlainIpv4", () => {
	// Compared with the platform's own check, which refuses leading zeros too.
	test("[SEC-02] exactly the IPv4 addresses in canonical spelling are accepted", () => {
		const nearly = fc.array(
			fc.constantFrom("0", "1", "2", "5", "6", "9", "25", "255", "256", "."),
			{
				maxLength: 9,
			},
		);
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

	test("an address with any text around it is refused", () => {
		for (const text of ["", ".", "...", "1.2.3", "1.2.3.", ".1.2.3", "1.2.3.4.", "1.2.3.4.5"]) {
			expect(isPlainIpv4(text)).toBe(false);
		}
		for (const text of ["1.2.3.4 ", " 1.2.3.4", "1.2.3.04", "1.2.3.4\n", "1.2.3.4:5", "１.2.3.4"]) {
			expect(isPlainIpv4(text)).toBe(false);
		}
	});
});

describe("parseAddressRange", () => {
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
});
