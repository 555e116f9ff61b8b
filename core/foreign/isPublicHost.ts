import { isPublicAddress } from "#core/foreign/isPublicAddress.ts";
import { isPublicName } from "#core/foreign/isPublicName.ts";

/** URL parsers turn every way of writing an IPv4 address into this one. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * Tells whether a host, as a URL parser writes it, may be on the public network: a name that no
 * local network keeps for itself, or a public address. Names are not looked up.
 */
export function isPublicHost(host: string): boolean {
	if (host.startsWith("[")) return isPublicAddress(host.slice(1, -1));
	return IPV4.test(host) ? isPublicAddress(host) : isPublicName(host);
}
