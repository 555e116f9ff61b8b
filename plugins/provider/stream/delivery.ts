// Hands pushes on to their listener, and reports what was lost as gaps.

import type { Clock } from "#core/clock.ts";
import { assert } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import {
	GAP_EVERY_MS,
	GAP_GATHER_MS,
	GAP_TIMEOUT_MS,
	STOP_TIMEOUT_MS,
} from "#plugins/provider/limits.ts";
import type { Timers } from "#plugins/provider/stream/model.ts";
import {
	createPushQueue,
	type PushListener,
	type Queued,
	settleWithin,
} from "#plugins/provider/stream/queue.ts";

export type GapListener = (gap: { slugs: readonly string[]; sinceMs: number }) => Promise<void>;

export type GapLedger = {
	listen(listener: GapListener): void;
	/** Records that events of this collection may be missing since then. */
	add(slug: string, sinceMs: number): void;
	/** Forgets collections that are not followed any more. */
	keepOnly(slugs: ReadonlySet<string>): void;
	/** Reports nothing for now, and forgets nothing. */
	pause(): void;
	resume(): void;
};

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

/**
 * Makes a ledger that gathers gaps and reports them in few calls: gaps that come together are one
 * call, and one collection's are reported at most every half minute, from the earliest on. A gap
 * whose listener failed is reported again.
 */
export function createGapLedger(options: { clock: Clock; timers: Timers; log: Log }): GapLedger {
	const { clock, timers, log } = options;
	const owed = new Map<string, number>();
	const reportedAtMs = new Map<string, number>();
	let listener: GapListener | null = null;
	let planned: { atMs: number; cancel: () => void } | null = null;
	let isSending = false;
	let isPaused = true;
	let isFailing = false;

	return {
		listen(given) {
			listener = given;
		},
		add(slug, sinceMs) {
			owed.set(slug, Math.min(owed.get(slug) ?? sinceMs, sinceMs));
			plan(slug);
		},
		keepOnly(slugs) {
			for (const slug of [...owed.keys()]) if (!slugs.has(slug)) owed.delete(slug);
			for (const slug of [...reportedAtMs.keys()]) if (!slugs.has(slug)) reportedAtMs.delete(slug);
		},
		pause() {
			isPaused = true;
			planned?.cancel();
			planned = null;
		},
		resume() {
			isPaused = false;
			for (const slug of owed.keys()) plan(slug);
		},
	};

	function dueAtMs(slug: string): number {
		const lastMs = reportedAtMs.get(slug);
		return lastMs === undefined ? Number.NEGATIVE_INFINITY : lastMs + GAP_EVERY_MS;
	}

	function plan(slug: string) {
		if (isSending || isPaused) return;
		const nowMs = clock.nowMs();
		const atMs = Math.max(nowMs + GAP_GATHER_MS, dueAtMs(slug));
		if (planned && planned.atMs <= atMs) return;
		planned?.cancel();
		planned = { atMs, cancel: timers.after(atMs - nowMs, () => void report()) };
	}

	async function report() {
		planned = null;
		isSending = true;
		const nowMs = clock.nowMs();
		const due = [...owed].filter(([slug]) => dueAtMs(slug) <= nowMs);
		for (const [slug] of due) {
			owed.delete(slug);
			reportedAtMs.set(slug, nowMs);
		}
		const slugs = due.map(([slug]) => slug);
		const sinceMs = Math.min(...due.map(([, since]) => since));
		const hear = listener;
		if (hear && due.length > 0) {
			const run = () => hear({ slugs, sinceMs });
			const settled = await settleWithin(run, { timers, timeoutMs: GAP_TIMEOUT_MS });
			if (settled.kind === "done") isFailing = false;
			else {
				if (!isFailing) log.warn("a gap in the provider's stream was not taken", settled);
				isFailing = true;
				for (const [slug, since] of due) owed.set(slug, Math.min(owed.get(slug) ?? since, since));
			}
		}
		isSending = false;
		for (const slug of owed.keys()) plan(slug);
	}
}
