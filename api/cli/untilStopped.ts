/**
 * Waits for SIGINT or SIGTERM, then stops everything, within a bound. A second signal ends the
 * process at once: whoever presses Ctrl-C twice means it.
 */
export async function untilStopped(stop: () => Promise<void>, timeoutMs: number): Promise<void> {
	await new Promise<void>((resolve) => {
		let asked = false;
		const ask = () => {
			if (asked) process.exit(130);
			asked = true;
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
