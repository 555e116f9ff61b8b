// Finds a client's address behind trusted proxies.

import ipaddr from "ipaddr.js";
import { assert } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";

export type ClientAddressOptions = {
	/** Returns the peer's address; called only where it matters: it costs Bun a microsecond. */
	socketAddress: () => string | null;
	/** The number of our own proxies in front; each appends the address that called it. */
	trustedProxyHops: number;
	proxies: ProxyList;
};

/** An address, and how many of its first bits count. */
export type AddressRange = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** The reverse proxies whose `x-forwarded-for` is trusted. */
export type ProxyList = {
	/** True if every possible peer of our port is listed: then no peer's address must be read. */
	readonly hasEveryPeer: boolean;
	has(address: string): boolean;
	/** Counts a forwarded address that was ignored because its sender is not listed. */
	refuse(sender: string): void;
};

export type ProxyListOptions = {
	/** Addresses and ranges, as in `TRUSTED_PROXIES`. */
	trustedProxies: readonly string[];
	/** The address that our port is open on; undefined if unknown. */
	listensOn?: string | undefined;
	log: Log;
	metrics: Metrics;
};

const DOT = 46;
const ZERO = 48;

/** The name of a client without an address (a request without a socket). */
const UNKNOWN = "unknown";
/** The bits of one customer's network: an IPv6 client owns at least 2^64 addresses (RFC 6177). */
const IPV6_CLIENT_BITS = 64;
const IPV6_GROUPS = IPV6_CLIENT_BITS / 16;

const IPV4_BITS = 32;
const IPV6_BITS = 128;
/** The prefix of IPv6 addresses that only contain an IPv4 one (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = IPV6_BITS - IPV4_BITS;

/** Limits the senders that are remembered: parsing an address costs as much as answering a page. */
const KNOWN_MAX = 1_000;

/** The ranges that contain all peers of a port, by the address it is open on. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
	"127.0.0.1": ["127.0.0.0/8"],
	"::1": ["::1"],
	localhost: ["127.0.0.0/8", "::1"],
};
const EVERYBODY = ["0.0.0.0/0", "::/0"];

/** Ranges of addresses of this machine (loopback) and of private networks (RFC 1918, RFC 4193). */
export const privateNetworks: readonly string[] = [
	"127.0.0.0/8",
	"::1/128",
	"10.0.0.0/8",
	"172.16.0.0/12",
	"192.168.0.0/16",
	"fc00::/7",
];

/**
 * Returns the client's address as our outermost proxy saw it, as one text per client.
 *
 * An entry of `x-forwarded-for` counts only if a trusted proxy wrote it: the last was written by
 * the socket's peer, each earlier one by the address in the entry after it. Any other entry can be
 * chosen by the client. An unreadable entry falls back to its writer's address.
 */
export function clientAddress(request: Request, options: ClientAddressOptions): string {
	const { socketAddress, trustedProxyHops: hops, proxies } = options;
	const forwarded = hops < 1 ? null : request.headers.get("x-forwarded-for");
	if (!forwarded) return nameOf(socketAddress());
	if (!proxies.hasEveryPeer) {
		const peer = socketAddress();
		if (peer === null || !proxies.has(peer)) {
			proxies.refuse(peer ?? UNKNOWN);
			return nameOf(peer);
		}
	}
	// One hop and one entry is the usual case: no list is made for it.
	const isSimple = hops === 1 && !forwarded.includes(",");
	const client = isSimple ? canonical(forwarded) : walk(forwarded.split(","), hops, proxies);
	return client ?? nameOf(socketAddress());
}

/**
 * Returns true for the canonical spelling of an IPv4 address: four decimals without leading zeros.
 *
 * A loop instead of a pattern: it runs for every request, and takes a tenth of the time.
 */
export function isPlainIpv4(text: string): boolean {
	let dots = 0;
	let octet = -1;
	for (let index = 0; index < text.length; index += 1) {
		const code = text.charCodeAt(index);
		if (code === DOT) {
			if (octet < 0) return false;
			dots += 1;
			octet = -1;
			continue;
		}
		const digit = code - ZERO;
		if (digit < 0 || digit > 9 || octet === 0) return false;
		octet = octet < 0 ? digit : octet * 10 + digit;
		if (octet > 255) return false;
	}
	return dots === 3 && octet >= 0;
}

/**
 * Makes the list of trusted proxies. It logs once per process that an address was ignored: an
 * unlisted proxy makes one client of all clients behind it.
 */
export function createProxyList(options: ProxyListOptions): ProxyList {
	const { trustedProxies, listensOn, log, metrics } = options;
	const ranges = trustedProxies.map(rangeOf);
	const known = new Map<string, boolean>();
	const refused = metrics.counter({
		name: "http_forwarded_refused_total",
		help: "Requests whose forwarded address did not count: its sender is no trusted proxy.",
	});
	let isSaid = false;
	const peers = PEERS[listensOn ?? ""] ?? EVERYBODY;
	return {
		hasEveryPeer: peers.every((peer) => covers(ranges, rangeOf(peer))),
		has(address) {
			const remembered = known.get(address);
			if (remembered !== undefined) return remembered;
			const range = parseAddressRange(address.replace(/%.*$/, ""));
			const isListed = range !== null && covers(ranges, range);
			if (known.size >= KNOWN_MAX) known.clear();
			known.set(address, isListed);
			return isListed;
		},
		refuse(sender) {
			refused.inc({});
			if (isSaid) return;
			isSaid = true;
			log.warn(
				"a forwarded address did not count: its sender is not in TRUSTED_PROXIES (said once)",
				{ sender },
			);
		},
	};
}

/**
 * Parses `10.0.0.0/8`, `2001:db8::/32` or a single address; null for anything else.
 *
 * IPv4 must be four decimals: the short, octal and hexadecimal forms mean different addresses to
 * different readers. A range of mapped addresses becomes the range of the IPv4 ones.
 */
export function parseAddressRange(text: string): AddressRange | null {
	const [addressText = "", bitsText, ...more] = text.split("/");
	const address = parseAddress(addressText);
	if (address === null || more.length > 0) return null;
	const bitsMax = address.kind() === "ipv4" ? IPV4_BITS : IPV6_BITS;
	if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return null;
	const bits = bitsText === undefined ? bitsMax : Number(bitsText);
	if (bits > bitsMax) return null;
	if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS) {
		return [address.toIPv4Address(), bits - MAPPED_BITS];
	}
	return [address, bits];
}

function nameOf(address: string | null): string {
	return canonical(address ?? "") ?? UNKNOWN;
}

/**
 * Returns one spelling per client: mapped IPv4 as IPv4, IPv6 as its /64; undefined if unreadable.
 */
function canonical(entry: string): string | undefined {
	if (isPlainIpv4(entry)) return entry;
	const host = withoutPort(entry.trim());
	// `isValid` alone also takes 127.1, 0x7f.1 and 010.0.0.1, which no proxy writes.
	if (ipaddr.IPv4.isValidFourPartDecimal(host)) return ipaddr.IPv4.parse(host).toString();
	if (!ipaddr.IPv6.isValid(host)) return undefined;
	const address = ipaddr.IPv6.parse(host);
	if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
	const network = address.parts.map((part, index) => (index < IPV6_GROUPS ? part : 0));
	return `${new ipaddr.IPv6(network).toString()}/${IPV6_CLIENT_BITS}`;
}

/**
 * Removes the port of `1.2.3.4:5678`, `[2001:db8::1]`, `[2001:db8::1]:443`; a bare IPv6 address has
 * none.
 */
function withoutPort(entry: string): string {
	const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry);
	if (bracketed) return bracketed[1] ?? "";
	const ported = /^([^:]*):\d{1,5}$/.exec(entry);
	return ported ? (ported[1] ?? "") : entry;
}

/** Returns the first address from our end of the list that is no proxy of ours, or the `hops`th. */
function walk(entries: readonly string[], hops: number, proxies: ProxyList): string | undefined {
	let client: string | undefined;
	for (let hop = 1; hop <= hops; hop += 1) {
		const entry = entries.at(-hop);
		const read = entry === undefined ? undefined : canonical(entry);
		if (entry === undefined || read === undefined) return client;
		client = read;
		const sender = withoutPort(entry.trim());
		if (hop === hops || proxies.has(sender)) continue;
		if (entries.length > hop) proxies.refuse(sender);
		return client;
	}
	return client;
}

function rangeOf(text: string): AddressRange {
	const range = parseAddressRange(text);
	assert(range !== null, `TRUSTED_PROXIES: "${text}" is no address and no range of them`);
	return range;
}

/** Returns true if one of the ranges contains another range completely. */
function covers(ranges: readonly AddressRange[], [address, bits]: AddressRange): boolean {
	return ranges.some((range) => {
		const [network, networkBits] = range;
		if (networkBits > bits) return false;
		if (network instanceof ipaddr.IPv4) {
			return address instanceof ipaddr.IPv4 && address.match(network, networkBits);
		}
		return address instanceof ipaddr.IPv6 && address.match(network, networkBits);
	});
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
	if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
	return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}
