/**
 * One Ctrl-C reaches us several times: from the terminal, and from each runner above us (npx, `bun
 * run`) that passes it on. Only a signal that comes later than this is a person's second one.
 */
const ECHO_MS = 1_000;

/** 128 + SIGINT, as shells count. */
const EXIT_INTERRUPTED = 130;

/**
 * Waits for SIGINT or SIGTERM, then stops everything, within a bound. A second signal ends the
 * process at once: whoever presses Ctrl-C twice means it.
 */
export async function untilStopped(stop: () => Promise<void>, timeoutMs: number): Promise<void> {
	await new Promise<void>((resolve) => {
		let askedAtMs: number | null = null;
		const ask = () => {
			const nowMs = performance.now();
			if (askedAtMs !== null && nowMs - askedAtMs > ECHO_MS) process.exit(EXIT_INTERRUPTED);
			askedAtMs ??= nowMs;
			resolve();
		};
		process.on("SIGINT", ask);
		process.on("SIGTERM", ask);
		process.on("SIGHUP", ask);
	});
	const late = setTimeout(() => process.exit(1), timeoutMs);
	await stop();
	clearTimeout(late);
}
