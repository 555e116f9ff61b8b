import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";
import { LOG_EVERY_MS } from "#plugins/provider/limits.ts";

/** A fixed set of kinds, so that remembering when each was last logged stays small. */
export type FailureKind =
	| "rate_limited"
	| "provider_unavailable"
	| "provider_unreadable"
	| "provider_refused"
	| "rows"
	| "pages";

export type FailureLog = (kind: FailureKind, context: Record<string, unknown>) => void;

const SENTENCES: Readonly<Record<FailureKind, string>> = {
	rate_limited: "the provider says that it is asked too often",
	provider_unavailable: "the provider does not answer",
	provider_unreadable: "the provider answered something that cannot be read",
	provider_refused: "the provider refuses a request",
	rows: "rows of the provider cannot be read and are left out",
	pages: "a list of the provider breaks off: its next page cannot be read or leads to itself",
};

/** Logs one line a minute for each kind of failure, with the number of those it stands for. */
export function createFailureLog({ log, clock }: { log: Log; clock: Clock }): FailureLog {
	const told = new Map<FailureKind, { atMs: number; untold: number }>();
	return (kind, context) => {
		const nowMs = clock.nowMs();
		const last = told.get(kind);
		if (last && Math.abs(nowMs - last.atMs) < LOG_EVERY_MS) {
			last.untold++;
			return;
		}
		told.set(kind, { atMs: nowMs, untold: 0 });
		log.warn(SENTENCES[kind], { ...context, ...(last?.untold ? { untold: last.untold } : {}) });
	};
}
