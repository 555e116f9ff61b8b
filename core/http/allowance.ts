// Takes requests from a client's allowance, and keeps maps within limits.

import { httpFault } from "#core/http/faults.ts";
import type { RequestContext } from "#core/http/requests.ts";
import type { Limiter, LimiterAnswer } from "#core/limiter.ts";
import type { Log } from "#core/log.ts";

export type BoundedMap<Value> = {
	get(key: string): Value | undefined;
	/** Stores a value without a weight; replaces the key's value. */
	set(key: string, value: Value): void;
	/** Sets the weight of the key's value; ignored if the value was replaced. */
	weigh(key: string, value: Value, bytes: number): void;
};

/**
 * Makes a map with limits for the number of values and their bytes; the oldest is dropped first.
 *
 * Written here because a read from a library's LRU takes 3 µs, and from a plain map a hundredth of
 * that.
 */
export function createBoundedMap<Value>(limits: {
	countMax: number;
	bytesMax: number;
}): BoundedMap<Value> {
	const values = new Map<string, Value>();
	const weights = new Map<string, number>();
	let bytesHeld = 0;

	function drop(key: string): void {
		values.delete(key);
		bytesHeld -= weights.get(key) ?? 0;
		weights.delete(key);
	}

	return {
		get: (key) => values.get(key),
		set(key, value) {
			drop(key);
			const [first] = values.keys();
			if (values.size >= limits.countMax && first !== undefined) drop(first);
			values.set(key, value);
		},
		weigh(key, value, bytes) {
			if (values.get(key) !== value) return;
			bytesHeld += bytes - (weights.get(key) ?? 0);
			weights.set(key, bytes);
			for (const one of values.keys()) {
				if (bytesHeld <= limits.bytesMax) return;
				// The others first: this one is in use.
				if (one !== key) drop(one);
			}
			if (bytesHeld > limits.bytesMax) drop(key);
		},
	};
}

/**
 * Takes one request from the client's allowance and sets the headers with the rest; throws if it is
 * used up.
 *
 * If the limiter fails (a shared one that is unreachable), requests pass: market reads without a
 * limit are a smaller loss than no market reads.
 */
export async function takeAllowance(options: {
	limiter: Limiter;
	context: RequestContext;
	log: Log;
}): Promise<void> {
	const { limiter, context, log } = options;
	let taken: LimiterAnswer;
	try {
		taken = await limiter.take(context.clientAddress);
	} catch (error) {
		log.warn("the limiter cannot answer, the request passes", { error });
		return;
	}
	grantAllowance(taken, context.headers);
}

/** Sets the headers with a client's remaining allowance; throws where the request was refused. */
export function grantAllowance(taken: LimiterAnswer, headers: Map<string, string>): void {
	headers.set("ratelimit-limit", String(taken.limit));
	headers.set("ratelimit-remaining", String(taken.remaining));
	headers.set("ratelimit-reset", String(Math.ceil(taken.resetMs / 1000)));
	if (taken.allowed) return;
	const seconds = Math.max(1, Math.ceil(taken.retryAfterMs / 1000));
	throw httpFault.rateLimited({
		public: `Rate limit exceeded: retry in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
		members: { provider: "svc", retryAfterMs: taken.retryAfterMs },
	});
}
