import type { Clock } from "#core/clock/Clock.ts";
import { assert } from "#core/fault/assert.ts";
import type { Log } from "#core/log/Log.ts";
import {
	createGapLedger,
	type GapListener,
} from "#plugins/provider/stream/deliver/createGapLedger.ts";
import type { Queued } from "#plugins/provider/stream/deliver/createPushLines.ts";
import { createPushQueue } from "#plugins/provider/stream/deliver/createPushQueue.ts";
import type { PushListener } from "#plugins/provider/stream/deliver/handOnParts.ts";
import { settleWithin } from "#plugins/provider/stream/deliver/settleWithin.ts";
import { STOP_TIMEOUT_MS } from "#plugins/provider/stream/limits.ts";
import type { Timers } from "#plugins/provider/stream/Timers.ts";

export type Delivery = {
	onPushes(listener: PushListener): void;
	onGap(listener: GapListener): void;
	push(queued: Queued): void;
	missed(slug: string, sinceMs: number): void;
	keepOnly(slugs: ReadonlySet<string>): void;
	begin(): void;
	/** Reports no gap from now on, and forgets none. */
	halt(): void;
	/** Resolves when waiting pushes were handed on, or their time is over. */
	drained(): Promise<void>;
};

/** Makes the way out of the stream: pushes, and reports of those that were lost on the way. */
export function createDelivery(options: {
	clock: Clock;
	timers: Timers;
	log: Log;
	count(outcome: "handled" | "full" | "failed", pushes?: number): void;
	/** Called with the number of waiting pushes whenever it changes. */
	waiting(pushes: number): void;
}): Delivery {
	const { clock, timers, log, count, waiting } = options;
	const gaps = createGapLedger({ clock, timers, log });
	const queue = createPushQueue({
		clock,
		timers,
		log,
		onHandled: (pushes) => count("handled", pushes),
		onLost({ push, atMs }, why) {
			count(why);
			gaps.add(push.slug, atMs);
		},
		onSize: waiting,
	});
	let hasPushListener = false;
	let hasGapListener = false;
	return {
		onPushes(listener) {
			assert(!hasPushListener, "the provider's stream has one listener for pushes");
			hasPushListener = true;
			queue.listen(listener);
		},
		onGap(listener) {
			assert(!hasGapListener, "the provider's stream has one listener for gaps");
			hasGapListener = true;
			gaps.listen(listener);
		},
		push: queue.add,
		missed: gaps.add,
		keepOnly(slugs) {
			queue.keepOnly(slugs);
			gaps.keepOnly(slugs);
		},
		begin: gaps.resume,
		halt: gaps.pause,
		async drained() {
			await settleWithin(queue.idle, { timers, timeoutMs: STOP_TIMEOUT_MS });
		},
	};
}
