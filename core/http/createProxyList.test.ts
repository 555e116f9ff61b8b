import { expect, test } from "bun:test";
import fc from "fast-check";
import { createProxyList } from "#core/http/createProxyList.ts";
import { privateNetworks } from "#core/http/privateNetworks.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";

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
	test(`by default ${JSON.stringify(address)} is ${isListed ? "" : "not "}trusted`, () => {
		const { list } = open();
		expect(list.has(address)).toBe(isListed);
		// The second time the answer is remembered.
		expect(list.has(address)).toBe(isListed);
	});
}

test("an address is trusted exactly where it lies in a listed range", () => {
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

test("an interface's name behind an address does not hide it", () => {
	expect(open(["fe80::/10"]).list.has("fe80::1%eth0")).toBe(true);
});

test("thousands of senders are still told apart after what was remembered is forgotten", () => {
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
	test(`on ${listensOn} with ${ranges.slice(0, 2).join(", ") || "nobody"} every peer is ${isSo ? "" : "not "}listed`, () => {
		expect(open(ranges, listensOn).list.hasEveryPeer).toBe(isSo);
	});
}

test("an ignored address is counted each time, and logged once per process", async () => {
	const { list, hints, metrics } = open();
	for (let index = 0; index < 3; index += 1) list.refuse(`203.0.113.${index}`);
	expect(hints).toEqual([{ sender: "203.0.113.0" }]);
	expect((await metrics.expose()).body).toContain("tapeline_http_forwarded_refused_total 3");
});

test("an entry that is no range is our mistake", () => {
	expect(() => open(["proxy.example"])).toThrow("TRUSTED_PROXIES");
});
