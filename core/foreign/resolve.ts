// Looks names up, and refuses those that lead to special addresses.

import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import {
	ADDRESSES_MAX,
	type ForeignUrl,
	foreignFault,
	isPublicAddress,
	LOOK_UP_MAX_MS,
} from "#core/foreign/addresses.ts";

/** Every address that a name has now, in plain notation. Rejects where there is none. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export type PublicResolveOptions = {
	/** Name servers as `address:port`; this machine's where none are given. */
	servers?: readonly string[];
	/** Limits the wait for both kinds of address: then those that are known count. */
	timeoutMs?: number;
};

/** Resolves a name as this machine does, its hosts file included. */
export const systemResolve: Resolve = async (host) => {
	const answers = await lookup(host, { all: true, order: "ipv4first" });
	return answers.map(({ address }) => address);
};

/**
 * Asks name servers, and nothing else that knows names (no hosts file, no search list). Not the
 * system's `getaddrinfo`: it cannot be called off and waits in the few threads that files are read
 * in, so that three names whose servers were silent stopped a whole process for 10 s.
 */
export function createPublicResolve(options: PublicResolveOptions = {}): Resolve {
	const { servers, timeoutMs = LOOK_UP_MAX_MS } = options;
	return async (host, signal) => {
		// One for each name: all questions of a resolver are called off together.
		const resolver = new Resolver();
		if (servers) resolver.setServers(servers);
		const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
		const cancel = () => resolver.cancel();
		late.addEventListener("abort", cancel, { once: true });
		try {
			const asked = [resolver.resolve4(host), resolver.resolve6(host)];
			if (late.aborted) cancel();
			const told = await Promise.allSettled(asked);
			const found = told.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
			const failure = told.find((one) => one.status === "rejected");
			if (found.length === 0 && failure) throw failure.reason;
			return found;
		} finally {
			late.removeEventListener("abort", cancel);
		}
	};
}

/**
 * Returns the addresses that may be connected to for a URL. The name is looked up once, and a
 * single special address among its addresses refuses all: an honest name has none, and whoever
 * mixes them hopes that another one is taken than was looked at.
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
