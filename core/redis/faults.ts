import { defineFaults } from "#core/fault/defineFaults.ts";

/** Callers fall back to what their own process knows; only `redisUrl` reaches a person. */
export const redisFault = defineFaults({
	redisUrl: {
		status: 500,
		retry: "never",
		public: "REDIS_URL is not a URL that the Redis client can read.",
	},
	redisAway: { status: 503, retry: "later", public: "The Redis server does not answer." },
	redisRefused: { status: 503, retry: "later", public: "The Redis server refused a command." },
});
