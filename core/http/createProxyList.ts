import ipaddr from "ipaddr.js";
import { assert } from "#core/fault/assert.ts";
import { type AddressRange, parseAddressRange } from "#core/http/parseAddressRange.ts";
import type { Log } from "#core/log/Log.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";

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

/** How many senders are remembered: parsing an address costs as much as answering a page. */
const KNOWN_MAX = 1_000;

/** The ranges that contain all peers of a port, by the address it is open on. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
	"127.0.0.1": ["127.0.0.0/8"],
	"::1": ["::1"],
	localhost: ["127.0.0.0/8", "::1"],
};
const EVERYBODY = ["0.0.0.0/0", "::/0"];

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
