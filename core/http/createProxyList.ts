import ipaddr from "ipaddr.js";
import { assert } from "#core/fault/assert.ts";
import { type AddressRange, parseAddressRange } from "#core/http/parseAddressRange.ts";
import type { Log } from "#core/log/Log.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";

/** The reverse proxies whose `x-forwarded-for` is believed. */
export type ProxyList = {
	/** Whether all who can reach our port are listed: then nobody's address has to be asked for. */
	readonly hasEveryPeer: boolean;
	has(address: string): boolean;
	/** Counts a forwarded address that its sender, not listed, is not believed. */
	refuse(sender: string): void;
};

export type ProxyListOptions = {
	/** Addresses and ranges, as `TRUSTED_PROXIES` holds them. */
	trustedProxies: readonly string[];
	/** The address our port is open on; undefined where that is not known. */
	listensOn?: string | undefined;
	log: Log;
	metrics: Metrics;
};

/** Senders whose answer is remembered: reading an address costs as much as answering a page. */
const KNOWN_MAX = 1_000;

/** What must be listed for all peers of a port to be, by the address it is open on. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
	"127.0.0.1": ["127.0.0.0/8"],
	"::1": ["::1"],
	localhost: ["127.0.0.0/8", "::1"],
};
const EVERYBODY = ["0.0.0.0/0", "::/0"];

/**
 * Decides whose forwarded addresses count, and says once for the process that one did not: a proxy
 * that nobody has listed makes one client of all that come through it.
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

function rangeOf(text: string): AddressRange {
	const range = parseAddressRange(text);
	assert(range !== null, `TRUSTED_PROXIES: "${text}" is no address and no range of them`);
	return range;
}

/** Whether one of the ranges holds the whole of another. */
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
