import { expect, test } from "bun:test";
import fc from "fast-check";
import { clientAddress } from "#core/http/clientAddress.ts";

const socketAddress = "10.0.0.9";

function addressOf(
	forwarded: string | undefined,
	trustedProxyHops = 1,
	socket: string | null = socketAddress,
) {
	const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
	const request = new Request("http://localhost/", { headers });
	return clientAddress(request, { socketAddress: () => socket, trustedProxyHops });
}

const cases: [name: string, forwarded: string | undefined, hops: number, address: string][] = [
	["one hop takes the last entry", "1.1.1.1, 203.0.113.7", 1, "203.0.113.7"],
	["two hops take the second from the right", "9.9.9.9, 203.0.113.7, 10.0.0.1", 2, "203.0.113.7"],
	["no hop takes the socket's address", "203.0.113.7", 0, socketAddress],
	["no header falls back to the socket", undefined, 1, socketAddress],
	["too few entries fall back to the socket", "203.0.113.7", 2, socketAddress],
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
const headerText = fc.stringMatching(/^[ -~]{0,40}$/);

// Guarantee: what a client writes itself never decides which bucket it falls into.
test("entries left of the trusted one change nothing [SEC-02]", () => {
	fc.assert(
		fc.property(headerText, ipv4, fc.array(ipv4, { maxLength: 3 }), (spoofed, client, proxies) => {
			const entries = [spoofed, client, ...proxies].join(", ");
			expect(addressOf(entries, proxies.length + 1)).toBe(client);
		}),
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
