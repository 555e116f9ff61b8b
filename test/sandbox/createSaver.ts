const INTERVAL_MS = 5_000;
const COST_FACTOR = 12;

/**
 * Decides when to save: every five seconds, or rarer when saving has grown costly.
 *
 * A dump takes 0.8 s after history and grows with the chain; twelve times its cost keeps it below
 * a tenth of a core, and a kill -9 loses that much of the chain.
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
