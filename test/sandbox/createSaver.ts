const INTERVAL_MS = 5_000;
const COST_FACTOR = 12;

/**
 * Makes the saver that decides when to write: every five seconds, or less often when writing is
 * slow.
 *
 * A dump takes 0.8 s after history and grows with the chain. Waiting twelve times its duration
 * keeps it below a tenth of a core; a kill -9 loses that much of the chain.
 */
export function createSaver(
	write: () => Promise<void>,
	nowMs: () => number,
): { save(): Promise<void>; saveIfDue(): Promise<void> } {
	let dueMs = 0;
	async function save(): Promise<void> {
		const startMs = nowMs();
		await write();
		const endMs = nowMs();
		dueMs = endMs + Math.max(INTERVAL_MS, COST_FACTOR * (endMs - startMs));
	}
	return {
		save,
		async saveIfDue() {
			if (nowMs() >= dueMs) await save();
		},
	};
}
