import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";
import { LOG_EVERY_MS } from "#plugins/custody/limits.ts";

export type FailureLog = (endpoint: string, detail: string) => void;

/** Logs one line a minute for each endpoint, with the count of failures that it stands for. */
export function createFailureLog({ log, clock }: { log: Log; clock: Clock }): FailureLog {
	// Endpoints are ours and few.
	const told = new Map<string, { atMs: number; untold: number }>();
	return (endpoint, detail) => {
		const nowMs = clock.nowMs();
		const last = told.get(endpoint);
		if (last && Math.abs(nowMs - last.atMs) < LOG_EVERY_MS) {
			last.untold++;
			return;
		}
		told.set(endpoint, { atMs: nowMs, untold: 0 });
		const untold = last?.untold ? { untold: last.untold } : {};
		log.warn("a call to the wallet provider failed", { endpoint, detail, ...untold });
	};
}
