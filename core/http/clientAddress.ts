import ipaddr from "ipaddr.js";
import { isPlainIpv4 } from "#core/http/isPlainIpv4.ts";

/** Of a client whose address nobody knows (a request that came over no socket). */
const UNKNOWN = "unknown";
/** A customer's network: one IPv6 client owns at least 2^64 addresses (RFC 6177). */
const IPV6_CLIENT_BITS = 64;
const IPV6_GROUPS = IPV6_CLIENT_BITS / 16;

export type ClientAddressOptions = {
	/** Asked for only where no proxy of ours has told an address: Bun makes an object for each. */
	socketAddress: () => string | null;
	/** How many proxies of ours stand in front; each appends the address it was called from. */
	trustedProxyHops: number;
};

/**
 * The client as the outermost proxy of ours saw it, as one text per client.
 *
 * Entries are counted from the right, because everything to the left of our proxies' own entries
 * is whatever the client wrote. What cannot be read falls back to the socket's address.
 */
export function clientAddress(request: Request, options: ClientAddressOptions): string {
	const { socketAddress, trustedProxyHops } = options;
	const forwarded = forwardedEntry(request, trustedProxyHops);
	return (
		(forwarded === undefined ? undefined : canonical(forwarded)) ??
		canonical(socketAddress() ?? "") ??
		UNKNOWN
	);
}

function forwardedEntry(request: Request, hops: number): string | undefined {
	if (hops < 1) return undefined;
	const entries = request.headers.get("x-forwarded-for");
	// One hop and one entry is how most requests come: no list is made for it.
	if (hops === 1 && entries?.includes(",") === false) return entries;
	return entries?.split(",").at(-hops);
}

/** One spelling for each client: mapped IPv4 as IPv4, IPv6 as its /64. */
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

/** `1.2.3.4:5678`, `[2001:db8::1]`, `[2001:db8::1]:443`; a bare IPv6 address has no port. */
function withoutPort(entry: string): string {
	const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry);
	if (bracketed) return bracketed[1] ?? "";
	const ported = /^([^:]*):\d{1,5}$/.exec(entry);
	return ported ? (ported[1] ?? "") : entry;
}
