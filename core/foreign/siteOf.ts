import ipaddr from "ipaddr.js";

/** Bits of an address that one owner has, as a rule. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 };

/** `co.uk`, `com.br`: names are sold below these. */
const SHORT_SUFFIX = /^[a-z]{2,3}\.[a-z]{2}$/;

/**
 * Who a host probably belongs to: the name that was bought, or the network of an address. Names
 * below a bought one cost nothing, and a stranger may have as many as he likes.
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
