import { isIP } from "node:net";
import { foreignFault } from "#core/foreign/faults.ts";
import { isPublicAddress } from "#core/foreign/isPublicAddress.ts";
import { ADDRESSES_MAX } from "#core/foreign/limits.ts";
import type { ForeignUrl } from "#core/foreign/parseForeignUrl.ts";
import type { Resolve } from "#core/foreign/Resolve.ts";

/**
 * The addresses that may be connected to for a URL. The name is looked up once, and a single
 * special address among its addresses refuses all: an honest name has none, and whoever mixes them
 * hopes that another one is taken than was looked at.
 */
export async function findAddresses(
	{ host, isAllowed }: ForeignUrl,
	resolve: Resolve,
	signal: AbortSignal,
): Promise<readonly string[]> {
	const addresses = isIP(host) ? [host] : await lookUp(host, resolve, signal);
	if (isAllowed) return addresses;
	if (addresses.length > ADDRESSES_MAX) {
		throw foreignFault.refused({ detail: `the name has ${addresses.length} addresses` });
	}
	if (!addresses.every(isPublicAddress)) {
		throw foreignFault.refused({ detail: "the host is not on the public network" });
	}
	return addresses;
}

async function lookUp(host: string, resolve: Resolve, signal: AbortSignal) {
	const addresses = await resolve(host, signal).catch((cause) => {
		throw foreignFault.unreachable({ detail: "the name was not found", cause });
	});
	const known = addresses.filter((address) => isIP(address) > 0);
	if (known.length === 0) throw foreignFault.unreachable({ detail: "the name has no address" });
	return known;
}
