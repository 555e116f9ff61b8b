/** As in `untilStopped`: runners above us pass one Ctrl-C on, and only a later one is a second. */
const ECHO_MS = 1_000;

/** 128 + SIGINT, as shells count. */
const EXIT_INTERRUPTED = 130;

/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP, so that a command can end what it is at. A second
 * one ends the process at once.
 */
export function untilInterrupted(): AbortSignal {
	const interrupted = new AbortController();
	let askedAtMs: number | null = null;
	const ask = () => {
		const nowMs = performance.now();
		if (askedAtMs !== null && nowMs - askedAtMs > ECHO_MS) process.exit(EXIT_INTERRUPTED);
		askedAtMs ??= nowMs;
		interrupted.abort();
	};
	process.on("SIGINT", ask);
	process.on("SIGTERM", ask);
	process.on("SIGHUP", ask);
	return interrupted.signal;
}
