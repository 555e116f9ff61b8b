// Bounds how many costly requests are under way: for a process, and for each caller.

import { httpFault } from "#core/http/faults.ts";

export type Slots = {
	/**
	 * Takes a slot, and returns what gives it back, once. Throws `rate_limited` (429) where its
	 * caller has too many under way, and `unavailable` (503) where the process has.
	 */
	take(caller: string): () => void;
};

/** What one process works on at once: each may hold a model's answer, or a search of names. */
export const COSTLY_IN_PROCESS_MAX = 64;
/** What one caller may have under way, so that others find room. */
export const COSTLY_OF_CALLER_MAX = 16;

/** A slot is free again in about as long as one answer takes. */
const RETRY_AFTER_MS = 1_000;

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
