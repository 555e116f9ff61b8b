/** Long, for machines that do much else: only what never happens takes so long. */
const GIVE_UP_MS = 60_000;
const ASK_EVERY_MS = 5;

/** Waits for what another process does; fails when it does not happen. */
export async function until(
	holds: () => boolean | Promise<boolean>,
	what: string | (() => string),
): Promise<void> {
	const giveUpAt = performance.now() + GIVE_UP_MS;
	while (performance.now() < giveUpAt) {
		if (await holds()) return;
		await Bun.sleep(ASK_EVERY_MS);
	}
	throw new Error(`did not happen: ${typeof what === "string" ? what : what()}`);
}
