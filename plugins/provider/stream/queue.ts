// Queues pushes by collection, and hands them on in order.

import type { Clock } from "#core/clock.ts";
import type { Log } from "#core/log.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";
import {
	FAILED_IN_A_ROW_MAX,
	PUSH_TIMEOUT_MS,
	PUSHES_TOGETHER_MAX,
	QUEUE_BYTES_MAX,
	QUEUE_PUSHES_MAX,
	QUEUE_REST_MS_MAX,
	QUEUE_REST_SHARE,
	QUEUE_UNHURRIED_MAX,
	SLUGS_AT_ONCE_MAX,
} from "#plugins/provider/limits.ts";
import type { Timers } from "#plugins/provider/stream/model.ts";

/** A push with its size, and the time from which events are missing if it is lost. */
export type Queued = { push: ProviderPush; bytes: number; atMs: number };

export type PushLines = {
	/** Returns false where it does not fit. */
	add(queued: Queued): boolean;
	/** Takes the first pushes of a collection that is not busy; empty for none. */
	take(busy: ReadonlySet<string>): Queued[];
	keepOnly(slugs: ReadonlySet<string>): void;
	size(): number;
};

export type Settled =
	| { kind: "done" }
	| { kind: "failed"; error: unknown }
	/** The push did not end in time, and is not waited for any longer. */
	| { kind: "late" };

/** Takes some pushes of one collection, in the order of arrival. */
export type PushListener = (pushes: readonly ProviderPush[]) => Promise<void>;

/** Says why a listener did not take a push; null where another failure explains it. */
export type Refusal = Exclude<Settled, { kind: "done" }> | null;

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

	/** Logs a full queue once until all waiting pushes were handed on: a flood has thousands. */
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

/** Makes a queue for each collection, bounded together in number and in bytes. */
export function createPushLines(): PushLines {
	/** In the order of their turns. */
	const lines = new Map<string, Queued[]>();
	let pushes = 0;
	let bytes = 0;

	return {
		add(queued) {
			if (pushes >= QUEUE_PUSHES_MAX || bytes + queued.bytes > QUEUE_BYTES_MAX) return false;
			const { slug } = queued.push;
			const line = lines.get(slug);
			if (line) line.push(queued);
			else lines.set(slug, [queued]);
			pushes++;
			bytes += queued.bytes;
			return true;
		},
		take(busy) {
			for (const [slug, line] of lines) {
				if (busy.has(slug)) continue;
				const taken = line.splice(0, PUSHES_TOGETHER_MAX);
				// Moved to the end: one busy collection does not keep the others waiting.
				lines.delete(slug);
				if (line.length > 0) lines.set(slug, line);
				pushes -= taken.length;
				for (const one of taken) bytes -= one.bytes;
				return taken;
			}
			return [];
		},
		keepOnly(slugs) {
			for (const [slug, line] of [...lines]) {
				if (slugs.has(slug)) continue;
				lines.delete(slug);
				pushes -= line.length;
				for (const dropped of line) bytes -= dropped.bytes;
			}
		},
		size: () => pushes,
	};
}

/**
 * Hands pushes to a listener, and failed ones again in halves, so that a push which cannot be
 * stored costs only itself. After several failures in a row the pushes are not to blame (the
 * database is away): the rest is lost without a further try.
 */
export async function handOnParts(
	hear: PushListener,
	queued: readonly Queued[],
	options: {
		timers: Timers;
		onHandled(pushes: number): void;
		onLost(part: readonly Queued[], why: Refusal): void;
	},
): Promise<void> {
	const { timers, onHandled, onLost } = options;
	/** Parts that are still to be handed on, the next one last. */
	const parts = [queued];
	let failedInARow = 0;
	for (let part = parts.pop(); part; part = parts.pop()) {
		if (failedInARow >= FAILED_IN_A_ROW_MAX) {
			onLost(part, null);
			continue;
		}
		const pushes = part.map(({ push }) => push);
		const run = () => hear(pushes);
		const settled = await settleWithin(run, { timers, timeoutMs: PUSH_TIMEOUT_MS });
		if (settled.kind === "done") {
			failedInARow = 0;
			onHandled(part.length);
		} else if (settled.kind === "failed" && part.length > 1) {
			const half = Math.ceil(part.length / 2);
			parts.push(part.slice(half), part.slice(0, half));
		} else {
			failedInARow += 1;
			onLost(part, settled);
		}
	}
}

/** Runs another plugin's listener, which may throw, at once or later, and may never end. */
export function settleWithin(
	run: () => Promise<void>,
	options: { timers: Timers; timeoutMs: number },
): Promise<Settled> {
	return new Promise((resolve) => {
		const cancel = options.timers.after(options.timeoutMs, () => resolve({ kind: "late" }));
		const settle = (settled: Settled) => {
			cancel();
			resolve(settled);
		};
		Promise.try(run).then(
			() => settle({ kind: "done" }),
			(error: unknown) => settle({ kind: "failed", error }),
		);
	});
}

function restFor(workedMs: number, waiting: number): number {
	if (waiting === 0 || waiting > QUEUE_UNHURRIED_MAX) return 0;
	return Math.min(workedMs * QUEUE_REST_SHARE, QUEUE_REST_MS_MAX);
}
