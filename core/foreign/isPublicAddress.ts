import ipaddr from "ipaddr.js";

/** What of IPv6 is routed in public at all (RFC 4291, IANA): everything else is special. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Special although ipaddr.js, or the range above, calls them ordinary. */
const DENIED_V6 = [
	"2001::/23", // protocol assignments, Teredo (RFC 2928, 4380)
	"2001:db8::/32", // documentation
	"2002::/16", // 6to4: an IPv4 address within (RFC 3056)
	"3fff::/20", // documentation (RFC 9637)
].map((range) => ipaddr.IPv6.parseCIDR(range));

const DENIED_V4 = [
	"100.64.0.0/10", // carriers' networks; a cloud's metadata server is among them
	"168.63.129.16/32", // looks public, is a cloud's agent for its guests
	"192.0.0.0/24", // protocol assignments (RFC 6890)
	"192.88.99.0/24", // 6to4 relays (RFC 7526)
	"198.18.0.0/15", // benchmarks (RFC 2544)
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Whether an address, in its plain notation, leads to the public network. An address that carries
 * another one within (mapped, translated, tunnelled) does not, except IPv4 mapped into IPv6, which
 * is judged as what it carries: sockets treat it so.
 */
export function isPublicAddress(text: string): boolean {
	const address = plainAddress(text);
	if (address === null || address.range() !== "unicast") return false;
	if (address instanceof ipaddr.IPv4) {
		return !DENIED_V4.some((range) => address.match(range));
	}
	if (isIsatap(address)) return false;
	return address.match(GLOBAL_UNICAST) && !DENIED_V6.some((range) => address.match(range));
}

/** Behind any prefix at all: an IPv4 address that a router of ours unwraps (RFC 5214). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
	return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}

function plainAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
	if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
	// A zone names an interface of ours.
	if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return null;
	return ipaddr.process(text);
}
