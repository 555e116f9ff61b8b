// Takes requests from a client's allowance, bounds costly ones, and keeps maps within limits.

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

export type Slots = {
	/**
	 * Takes a slot, and returns what gives it back, once. Throws `rate_limited` (429) where its
	 * caller has too many under way, and `unavailable` (503) where the process has.
	 */
	take(caller: string): () => void;
};

/** Limits what one process works on at once: each may hold a model's answer, or a search. */
export const COSTLY_IN_PROCESS_MAX = 64;
/** Limits what one caller may have under way, so that others find room. */
export const COSTLY_OF_CALLER_MAX = 16;

/** Asks callers to wait for about as long as one answer takes: then a slot is free. */
const RETRY_AFTER_MS = 1_000;

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

/**
 * Makes the slots of costly requests.
 *
 * An allowance counts requests in a minute; it says nothing of how many are held at once. Three
 * thousand small chats together took 2.4 GB, so what is too much is refused before any work.
 */
export function createSlots({
	processMax = COSTLY_IN_PROCESS_MAX,
	callerMax = COSTLY_OF_CALLER_MAX,
}: {
	processMax?: number;
	callerMax?: number;
} = {}): Slots {
	const ofCaller = new Map<string, number>();
	let taken = 0;
	return {
		take(caller) {
			const own = ofCaller.get(caller) ?? 0;
			if (own >= callerMax) {
				const sentence = `You have ${callerMax} such requests under way. Wait for one to end.`;
				throw httpFault.rateLimited({
					public: sentence,
					members: { provider: "svc", retryAfterMs: RETRY_AFTER_MS },
				});
			}
			if (taken >= processMax) {
				throw httpFault.unavailable({ public: "Too much is asked at once. Try again soon." });
			}
			taken++;
			ofCaller.set(caller, own + 1);
			let isHeld = true;
			return () => {
				if (!isHeld) return;
				isHeld = false;
				taken--;
				const left = (ofCaller.get(caller) ?? 1) - 1;
				if (left === 0) ofCaller.delete(caller);
				else ofCaller.set(caller, left);
			};
		},
	};
}

/** Passes a stream on, and calls `onEnd` once it ended, failed, or lost its reader. */
export function untilEnd(
	stream: ReadableStream<Uint8Array>,
	onEnd: () => void,
): ReadableStream<Uint8Array> {
	const reader = stream.getReader();
	return new ReadableStream<Uint8Array>({
		async pull(controller) {
			try {
				const { done, value } = await reader.read();
				if (!done) return controller.enqueue(value);
				onEnd();
				controller.close();
			} catch (error) {
				onEnd();
				controller.error(error);
			}
		},
		async cancel(reason) {
			onEnd();
			await reader.cancel(reason);
		},
	});
}
