import ipaddr from "ipaddr.js";
import type { ProxyList } from "#core/http/createProxyList.ts";
import { isPlainIpv4 } from "#core/http/isPlainIpv4.ts";

/** The name of a client without an address (a request without a socket). */
const UNKNOWN = "unknown";
/** One customer's network: an IPv6 client owns at least 2^64 addresses (RFC 6177). */
const IPV6_CLIENT_BITS = 64;
const IPV6_GROUPS = IPV6_CLIENT_BITS / 16;

export type ClientAddressOptions = {
	/** Called only where it matters: it costs Bun a microsecond. */
	socketAddress: () => string | null;
	/** How many of our own proxies are in front; each appends the address that called it. */
	trustedProxyHops: number;
	proxies: ProxyList;
};

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
