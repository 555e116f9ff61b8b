import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";
import { createPushLines, type Queued } from "#plugins/provider/stream/deliver/createPushLines.ts";
import {
	handOnParts,
	type PushListener,
	type Refusal,
} from "#plugins/provider/stream/deliver/handOnParts.ts";
import {
	QUEUE_REST_MS_MAX,
	QUEUE_REST_SHARE,
	QUEUE_UNHURRIED_MAX,
	SLUGS_AT_ONCE_MAX,
} from "#plugins/provider/stream/limits.ts";
import type { Timers } from "#plugins/provider/stream/Timers.ts";

export type PushQueue = {
	listen(listener: PushListener): void;
	add(queued: Queued): void;
	/** Drops pushes of collections that are not followed any more; those under way end. */
	keepOnly(slugs: ReadonlySet<string>): void;
	size(): number;
	/** Resolves when nothing is waiting and nothing is under way. */
	idle(): Promise<void>;
};

/**
 * Makes the queue that hands pushes on: those of each collection in order, as many together as came
 * meanwhile, and of a few collections at a time. While more wait it rests between two parts, so
 * that most of the processor and of the database is left to readers; it does not rest when the
 * queue is nearly full. A push that does not fit, or that its listener fails on, is lost here and
 * reported as a gap, so that it comes back over HTTP.
 */
export function createPushQueue(options: {
	clock: Clock;
	timers: Timers;
	log: Log;
	onHandled(pushes: number): void;
	onLost(lost: Queued, why: "full" | "failed"): void;
	/** Called whenever the number of waiting pushes changes. */
	onSize(waiting: number): void;
}): PushQueue {
	const { clock, timers, log, onHandled, onLost, onSize } = options;
	const lines = createPushLines();
	const busy = new Set<string>();
	const whenIdle: (() => void)[] = [];
	let listener: PushListener | null = null;
	let isFailing = false;
	let isFull = false;

	return {
		listen(given) {
			listener = given;
		},
		add(queued) {
			if (!lines.add(queued)) return overflow(queued);
			onSize(lines.size());
			work();
		},
		keepOnly(slugs) {
			lines.keepOnly(slugs);
			onSize(lines.size());
			resolveIdle();
		},
		size: lines.size,
		idle: () =>
			new Promise((resolve) => {
				whenIdle.push(resolve);
				resolveIdle();
			}),
	};

	/** Logged once until all waiting pushes were handed on: in a flood each push is one too many. */
	function overflow(queued: Queued): void {
		if (!isFull) {
			const waiting = lines.size();
			log.warn("the provider's stream brings more than fits: what is left out is asked for", {
				waiting,
			});
		}
		isFull = true;
		onLost(queued, "full");
	}

	function work() {
		while (busy.size < SLUGS_AT_ONCE_MAX) {
			const next = lines.take(busy);
			const [first] = next;
			if (!first) return;
			if (lines.size() === 0) isFull = false;
			onSize(lines.size());
			void handOn(first.push.slug, next);
		}
	}

	async function handOn(slug: string, queued: readonly Queued[]) {
		busy.add(slug);
		const beganMs = clock.nowMs();
		if (listener) await handOnParts(listener, queued, { timers, onHandled: handled, onLost: lose });
		const restMs = restFor(clock.nowMs() - beganMs, lines.size());
		if (restMs > 0) await new Promise<void>((resolve) => void timers.after(restMs, resolve));
		busy.delete(slug);
		work();
		resolveIdle();
	}

	function handled(pushes: number) {
		isFailing = false;
		onHandled(pushes);
	}

	function lose(part: readonly Queued[], why: Refusal) {
		// Once for each outage: without the database every push fails.
		if (why && !isFailing) log.warn("pushes of the provider's stream were not taken", why);
		isFailing = true;
		for (const queued of part) onLost(queued, "failed");
	}

	function resolveIdle() {
		if (lines.size() > 0 || busy.size > 0) return;
		for (const resolve of whenIdle.splice(0)) resolve();
	}
}

function restFor(workedMs: number, waiting: number): number {
	if (waiting === 0 || waiting > QUEUE_UNHURRIED_MAX) return 0;
	return Math.min(workedMs * QUEUE_REST_SHARE, QUEUE_REST_MS_MAX);
}
