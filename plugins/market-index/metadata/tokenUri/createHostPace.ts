import type { Clock } from "#core/clock/Clock.ts";
import { sleep as systemSleep } from "#core/time/sleep.ts";
import {
	HOST_GAP_FIRST_MS,
	HOST_GAP_MAX_MS,
	HOST_PAUSE_FIRST_MS,
	HOST_WAIT_MAX_MS,
	HOSTS_PACED_MAX,
} from "#plugins/market-index/metadata/tokenUri/limits.ts";

/** Why a document was not requested: its server answered that we ask too often. */
export const HOST_LIMITED = "host_limited";

export type HostPace = {
	/** Waits for this host's next place; false where that would take too long. */
	enter(host: string, signal: AbortSignal): Promise<boolean>;
	/** Records that the host is asked too often, with its wait, if any. */
	limited(host: string, retryAfterMs: number | null): void;
	/** Records that the host served a document. */
	served(host: string): void;
};

/** A host that limits us: the distance between requests, and when the next one may begin. */
type Host = { gapMs: number; nextAtMs: number };

/**
 * Makes a pace for each host that serves documents. No host is limited before it complains; then
 * requests keep a distance, which doubles with each complaint and shrinks with each served
 * document. How many are under way at once is limited elsewhere (`core/foreign`).
 */
export function createHostPace({
	clock,
	sleep = systemSleep,
}: {
	clock: Clock;
	sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}): HostPace {
	const hosts = new Map<string, Host>();
	return {
		async enter(name, signal) {
			const host = hosts.get(name);
			if (!host) return true;
			const nowMs = clock.nowMs();
			const atMs = Math.max(host.nextAtMs, nowMs);
			if (atMs - nowMs > HOST_WAIT_MAX_MS) return false;
			host.nextAtMs = atMs + host.gapMs;
			if (atMs > nowMs) await sleep(atMs - nowMs, signal);
			return !signal.aborted;
		},
		limited(name, retryAfterMs) {
			const nowMs = clock.nowMs();
			const host = hosts.get(name) ?? { gapMs: 0, nextAtMs: nowMs };
			const isSame = host.nextAtMs > nowMs + host.gapMs;
			// Of requests that were under way together only the first complaint counts.
			if (!isSame)
				host.gapMs = Math.min(Math.max(host.gapMs * 2, HOST_GAP_FIRST_MS), HOST_GAP_MAX_MS);
			const pauseMs = retryAfterMs ?? Math.max(host.gapMs, HOST_PAUSE_FIRST_MS);
			host.nextAtMs = Math.max(host.nextAtMs, nowMs + pauseMs);
			hosts.delete(name);
			hosts.set(name, host);
			const [first] = hosts.keys();
			if (hosts.size > HOSTS_PACED_MAX && first !== undefined) hosts.delete(first);
		},
		served(name) {
			const host = hosts.get(name);
			if (!host) return;
			host.gapMs = host.gapMs * 0.95 < 1 ? 0 : host.gapMs * 0.95;
			if (host.gapMs === 0 && host.nextAtMs <= clock.nowMs()) hosts.delete(name);
		},
	};
}
