import ipaddr from "ipaddr.js";

/** An address, and how many of its first bits count. */
export type AddressRange = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

const IPV4_BITS = 32;
const IPV6_BITS = 128;
/** The prefix of IPv6 addresses that only contain an IPv4 one (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = IPV6_BITS - IPV4_BITS;

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

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
	if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
	return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}
