import { Resolver } from "node:dns/promises";
import { LOOK_UP_MAX_MS } from "#core/foreign/limits.ts";
import type { Resolve } from "#core/foreign/Resolve.ts";

export type PublicResolveOptions = {
	/** Name servers as `address:port`; this machine's where none are given. */
	servers?: readonly string[];
	/** One kind of address may be told and the other never: what is known by then counts. */
	timeoutMs?: number;
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
