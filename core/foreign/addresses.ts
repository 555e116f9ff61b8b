// Decides which URLs and addresses of strangers may be reached, within which limits.

import ipaddr from "ipaddr.js";
import { defineFaults } from "#core/fault.ts";

export type ForeignUrl = {
	url: URL;
	/** The host without brackets: a name, or an address in its plain notation. */
	host: string;
	/** The operator named this very origin. */
	isAllowed: boolean;
};

export const foreignFault = defineFaults({
	refused: {
		code: "foreign_refused",
		status: 422,
		retry: "never",
		public: "That address is not one that this service may reach.",
		advice: "Use a public address on port 80 or 443.",
	},
	unreachable: {
		code: "foreign_unreachable",
		status: 502,
		retry: "later",
		public: "A server that somebody else runs did not answer.",
	},
	tooLarge: {
		code: "foreign_too_large",
		status: 502,
		retry: "never",
		public: "A server that somebody else runs answered more than is read.",
	},
});

/** The public range of IPv6 (RFC 4291, IANA): all other addresses are special. */
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

/** Labels with a dot between them, none empty; what a URL's parser made of the name. */
const DOTTED_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/;
const OWN_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

/** URL parsers turn every way of writing an IPv4 address into this one. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** A longer URL is refused: what is beyond it carries data, not a place. */
export const URL_LENGTH_MAX = 2_048;

/** Lists the ports of websites. A server on another port was not meant for the public. */
export const PORTS: readonly number[] = [80, 443];

/** Hops that are followed. Each is checked as if a stranger had written it. */
export const REDIRECTS_MAX = 3;

/** Limits the header fields of one answer together, in bytes. */
export const HEADER_BYTES_MAX = 16_384;

/**
 * Limits what may surround a body, in bytes, beside an eighth of it: chunk sizes, blank lines,
 * trailers.
 */
export const WRAPPING_BYTES_MAX = 65_536;

/**
 * The number of pieces of a body that may have any size; with more, the average size has a minimum.
 */
export const PIECES_FREE = 4_096;
export const PIECE_BYTES_MIN = 64;

/** `100 Continue`, `103 Early Hints` and the like, before the answer itself. */
export const INTERIM_ANSWERS_MAX = 16;

/** Limits the body that a caller may ask for, in bytes. */
export const BODY_BYTES_MAX = 64 * 1024 * 1024;
export const TIMEOUT_MAX_MS = 120_000;

/** Addresses of a name that are looked at; a name with more is refused. */
export const ADDRESSES_MAX = 32;

/** The name servers' share of a request's time. */
export const LOOK_UP_MAX_MS = 4_000;

/**
 * Limits parallel fetches: in all, for hosts that strangers name, and for one site and one host.
 */
export const FETCHES_MAX = 64;
export const FETCHES_FOREIGN_MAX = 48;
export const FETCHES_PER_SITE_MAX = 16;
export const FETCHES_PER_HOST_MAX = 4;

/** Fetches at once for one host that the operator named. */
export const FETCHES_PER_ALLOWED_MAX = 16;

/** Limits urgent fetches together with all others, of a site and a host by this factor. */
export const FETCHES_URGENT_FACTOR = 1.5;
export const FETCHES_FOREIGN_URGENT_MAX = 56;

/** Connections to an origin of the operator's that are kept open while nothing is asked. */
export const KEPT_SOCKETS_MAX = FETCHES_PER_ALLOWED_MAX;
export const KEPT_FOR_MS = 4_000;

/** Limits the callers that wait for a place; more are refused at once. */
export const FETCHES_WAITING_MAX = 4_096;

/**
 * Matches signs that a URL parser drops or changes silently, so that two parsers read two hosts.
 */
const AMBIGUOUS = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\\]/u;

/** Bits of an address that one owner has, as a rule. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 };

/** `co.uk`, `com.br`: names are sold below these. */
const SHORT_SUFFIX = /^[a-z]{2,3}\.[a-z]{2}$/;

/**
 * Tells whether a host, as a URL parser writes it, may be on the public network: a name that no
 * local network keeps for itself, or a public address. Names are not looked up.
 */
export function isPublicHost(host: string): boolean {
	if (host.startsWith("[")) return isPublicAddress(host.slice(1, -1));
	return IPV4.test(host) ? isPublicAddress(host) : isPublicName(host);
}

/**
 * Returns whether an address, in its plain notation, leads to the public network. An address that
 * carries another one within (mapped, translated, tunnelled) does not, except IPv4 mapped into
 * IPv6, which is judged as what it carries: sockets treat it so.
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

/**
 * Parses a URL that a stranger wrote, and refuses what no public document needs: other schemes,
 * credentials, odd ports, names of local networks. Whether its host is public is not known yet.
 */
export function parseForeignUrl(
	text: string,
	{ allowedOrigins, ports }: { allowedOrigins: readonly string[]; ports: readonly number[] },
): ForeignUrl {
	if (text.length > URL_LENGTH_MAX) throw refused("the URL is too long");
	if (AMBIGUOUS.test(text)) throw refused("the URL has blanks, backslashes or control characters");
	if (!/^https?:\/\//i.test(text)) throw refused("only http:// and https:// are reached");
	const url = URL.parse(text);
	if (url === null) throw refused("it is not a URL");
	if (url.href.length > URL_LENGTH_MAX) throw refused("the URL is too long");
	if (url.username !== "" || url.password !== "") throw refused("the URL has credentials");
	url.hash = "";
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	const isAllowed = allowedOrigins.includes(url.origin);
	if (isAllowed) return { url, host, isAllowed };
	if (!ports.includes(portOf(url))) throw refused(`port ${url.port} is not reached`);
	const isAddress = url.hostname.startsWith("[");
	if (!isAddress && !isPublicName(host)) {
		throw refused("the name is one of a local network");
	}
	return { url, host, isAllowed };
}

/**
 * Returns whether a name, as a URL parser writes it, may be on the public network. Names are not
 * looked up.
 */
export function isPublicName(host: string): boolean {
	return DOTTED_NAME.test(host) && !OWN_NAME.test(host);
}

/**
 * Returns who a host probably belongs to: the name that was bought, or the network of an address.
 * Names below a bought one cost nothing, and a stranger may have as many as he likes.
 */
export function siteOf(host: string): string {
	if (ipaddr.isValid(host)) {
		const address = ipaddr.parse(host);
		const bits = NETWORK_BITS[address.kind()];
		const bytes = address.toByteArray().slice(0, bits / 8);
		return `${address.kind()} ${bytes.join(".")}`;
	}
	const labels = host.split(".");
	const count = SHORT_SUFFIX.test(labels.slice(-2).join(".")) ? 3 : 2;
	return labels.slice(-count).join(".");
}

function plainAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
	if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
	// A zone names an interface of ours.
	if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return null;
	return ipaddr.process(text);
}

/**
 * Returns true for an address with, behind any prefix, an IPv4 address that a router of ours
 * unwraps (RFC 5214).
 */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
	return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}

function refused(detail: string) {
	return foreignFault.refused({ detail });
}

function portOf(url: URL): number {
	return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}
