import { type Redis, redisFault, redisKey } from "#core/redis.ts";

/** Announcements among several processes without a server; whatever else is asked, it is away. */
export function pairedRedis() {
	const listeners = new Set<(text: string) => void>();
	const state = { away: false };
	const connect = (): Redis => ({
		up: () => !state.away,
		send: () => Promise.reject(redisFault.redisAway()),
		key: (kind, name) => redisKey({ deployment: "test", kind, name }),
		announce(text) {
			if (!state.away) for (const listener of [...listeners]) listener(text);
		},
		onAnnounced(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		close: async () => {},
	});
	return { connect, state, announce: connect().announce, listeners };
}
