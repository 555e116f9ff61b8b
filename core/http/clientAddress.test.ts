import { expect, test } from "bun:test";
import fc from "fast-check";
import { clientAddress } from "#core/http/clientAddress.ts";
import { createProxyList } from "#core/http/createProxyList.ts";
import { privateNetworks } from "#core/http/privateNetworks.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";

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

test("without socket and header all share one name", () => {
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
test("entries left of the trusted one change nothing [SEC-02]", () => {
	fc.assert(
		fc.property(headerText, ipv4, fc.array(listed, { maxLength: 3 }), (spoofed, client, ours) => {
			const entries = [spoofed, client, ...ours].join(", ");
			expect(addressOf(entries, ours.length + 1)).toBe(client);
		}),
	);
});

// Guarantee: a client that reaches us directly has one bucket, however many addresses it invents.
test("a forwarded address from a peer that is not listed changes nothing [SEC-02]", () => {
	fc.assert(
		fc.property(stranger, headerText, fc.integer({ min: 0, max: 5 }), (peer, forwarded, hops) => {
			expect(addressOf(forwarded, hops, peer)).toBe(peer);
		}),
	);
	expect(addressOf("203.0.113.7", 1, null)).toBe("unknown");
	expect(addressOf("203.0.113.7", 1, "2001:db8:1:2::9")).toBe("2001:db8:1:2::/64");
	expect(addressOf("203.0.113.7", 1, `::ffff:${EDGE}`)).toBe("203.0.113.7");
});

test("an address that an unlisted proxy forwarded changes nothing, however many hops [SEC-02]", () => {
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

test("every address in one /64 is one client, and its neighbour is another [SEC-02]", () => {
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

test("whatever the header holds, the answer is an address or the socket's", () => {
	fc.assert(
		fc.property(headerText, fc.integer({ min: 0, max: 5 }), (forwarded, hops) => {
			expect(addressOf(forwarded, hops)).toMatch(/^(\d+\.\d+\.\d+\.\d+|[0-9a-f:]+\/64)$/);
		}),
	);
});
