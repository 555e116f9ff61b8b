import { z } from "zod";
import type { FlakyTest } from "#test/run/giveSecondChance.ts";

const kept = z.array(
	z.object({
		file: z.string(),
		test: z.string(),
		/** In how many runs of this clone. */
		times: z.number(),
		lastSeen: z.string(),
		/** What happened the last time. */
		detail: z.string(),
	}),
);

/**
 * Adds a run's flaky tests to the list of them that a clone keeps, those seen last first, so that
 * who repairs one sees how often it fails and how.
 */
export async function keepFlaky(path: string, flaky: readonly FlakyTest[], at: Date) {
	const before = await readKept(path);
	const now = flaky.map(({ file, test, detail }) => {
		const same = before.find((one) => one.file === file && one.test === test);
		return { file, test, times: 1 + (same?.times ?? 0), lastSeen: at.toISOString(), detail };
	});
	const rest = before.filter(
		({ file, test }) => !flaky.some((one) => one.file === file && one.test === test),
	);
	await Bun.write(path, `${JSON.stringify([...now, ...rest], null, "\t")}\n`);
}

async function readKept(path: string) {
	const file = Bun.file(path);
	if (!(await file.exists())) return [];
	const text: unknown = await file.json().catch(() => null);
	return kept.safeParse(text).data ?? [];
}
