/**
 * Asks repeatedly until there is an answer; returns `undefined` when the time is over.
 *
 * Measured with the monotonic timer: setting the wall clock must neither end nor extend a wait.
 */
export async function pollUntil<Answer>(
	ask: () => Promise<Answer | undefined> | Answer | undefined,
	limits: { timeoutMs: number; everyMs: number },
): Promise<Answer | undefined> {
	const startedMs = performance.now();
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (performance.now() - startedMs >= limits.timeoutMs) return undefined;
		await Bun.sleep(limits.everyMs);
	}
}
