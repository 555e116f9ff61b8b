import type { Log } from "#core/log/Log.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";
import { createPushLines, type Queued } from "#plugins/provider/stream/deliver/createPushLines.ts";
import { settleWithin } from "#plugins/provider/stream/deliver/settleWithin.ts";
import { PUSH_TIMEOUT_MS, SLUGS_AT_ONCE_MAX } from "#plugins/provider/stream/limits.ts";
import type { Timers } from "#plugins/provider/stream/Timers.ts";

export type PushListener = (push: ProviderPush) => Promise<void>;

export type PushQueue = {
	listen(listener: PushListener): void;
	add(queued: Queued): void;
	/** Drops what nobody follows any more; what is under way ends. */
	keepOnly(slugs: ReadonlySet<string>): void;
	size(): number;
	/** When nothing is waiting and nothing under way. */
	idle(): Promise<void>;
};

/**
 * Hands pushes on, one after the other for each collection and a few collections at a time. What
 * does not fit, and what its listener failed at, is lost here and told as a gap, so that it comes
 * back over HTTP.
 */
export function createPushQueue(options: {
	timers: Timers;
	log: Log;
	onHandled(): void;
	onLost(lost: Queued, why: "full" | "failed"): void;
}): PushQueue {
	const { timers, log, onHandled, onLost } = options;
	const lines = createPushLines();
	const busy = new Set<string>();
	const whenIdle: (() => void)[] = [];
	let listener: PushListener | null = null;
	let isFailing = false;

	return {
		listen(given) {
			listener = given;
		},
		add(queued) {
			if (!lines.add(queued)) return onLost(queued, "full");
			work();
		},
		keepOnly: lines.keepOnly,
		size: lines.size,
		idle: () =>
			new Promise((resolve) => {
				whenIdle.push(resolve);
				tellIdle();
			}),
	};

	function work() {
		while (busy.size < SLUGS_AT_ONCE_MAX) {
			const next = lines.take(busy);
			if (!next) return;
			void handOn(next);
		}
	}

	async function handOn(queued: Queued) {
		const { slug } = queued.push;
		busy.add(slug);
		await tell(queued);
		busy.delete(slug);
		work();
		tellIdle();
	}

	async function tell(queued: Queued) {
		const hear = listener;
		if (!hear) return;
		const run = () => hear(queued.push);
		const settled = await settleWithin(run, { timers, timeoutMs: PUSH_TIMEOUT_MS });
		if (settled.kind === "done") {
			isFailing = false;
			return onHandled();
		}
		// Once for each outage: with the database away every push fails.
		if (!isFailing) log.warn("a push of the provider's stream was not taken", settled);
		isFailing = true;
		onLost(queued, "failed");
	}

	function tellIdle() {
		if (lines.size() > 0 || busy.size > 0) return;
		for (const resolve of whenIdle.splice(0)) resolve();
	}
}
