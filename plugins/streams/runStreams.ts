import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";
import { sleep } from "#core/time/sleep.ts";
import type { Streams } from "#plugins/streams/createStreams.ts";
import type { Tailer } from "#plugins/streams/createTailer.ts";
import { PING_INTERVAL_MS, TAIL_INTERVAL_MS } from "#plugins/streams/limits.ts";

export type StreamRunner = {
	start(): void;
	stop(): Promise<void>;
	/** Returns how long ago the log was last read without a failure. */
	silentMs(): number;
};

export type RunStreamsOptions = {
	tailer: Pick<Tailer, "tick" | "ping">;
	streams: Pick<Streams, "checkUnsent" | "probe">;
	clock: Clock;
	log: Log;
	/** Waits, or returns early when the signal aborts. */
	wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/**
 * Starts the two loops behind the streams. Two, because a hanging database must not delay pings:
 * clients would take a late frame for a dead connection, and all would reconnect at once.
 */
export function runStreams(options: RunStreamsOptions): StreamRunner {
	const { tailer, streams, clock, log, wait = sleep } = options;
	const stopping = new AbortController();
	const { signal } = stopping;
	let lastReadMs = clock.nowMs();
	let running: Promise<unknown> = Promise.resolve();

	async function tail(): Promise<void> {
		while (!signal.aborted) {
			try {
				await tailer.tick();
				lastReadMs = clock.nowMs();
			} catch (error) {
				log.warn("the log of frames cannot be read", { error });
			}
			await wait(TAIL_INTERVAL_MS, signal);
		}
	}
	async function watch(): Promise<void> {
		let pingedMs = clock.nowMs();
		while (!signal.aborted) {
			await wait(TAIL_INTERVAL_MS, signal);
			streams.checkUnsent({ look: true });
			// Counted by the clock and not in turns, which come late on a busy machine.
			if (clock.nowMs() - pingedMs < PING_INTERVAL_MS) continue;
			pingedMs += PING_INTERVAL_MS;
			tailer.ping();
			streams.probe();
		}
	}
	return {
		start() {
			lastReadMs = clock.nowMs();
			running = Promise.all([tail(), watch()]);
		},
		async stop() {
			stopping.abort();
			await running;
		},
		silentMs: () => clock.nowMs() - lastReadMs,
	};
}
