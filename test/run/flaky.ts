// Runs failed files once more, and keeps a list of flaky tests.

import { z } from "zod";
import type { TestCase } from "#test/run/junit.ts";
import type { TestGroup } from "#test/run/testGroups.ts";

/** A test that failed beside others, in a file that passed by itself. */
export type FlakyTest = { file: string; test: string; detail: string };

type SecondRun = {
	/** Runs a group's file alone. */
	runAlone(group: TestGroup, file: string): Promise<TestCase[]>;
	print(line: string): void;
};

/** Where more files fail, chance is not the reason, and running each alone would take an hour. */
const FILES_MAX = 100;

/** The rules of style read files and wait for nothing. */
const STYLE = "test/tidy/";

const isGood = ({ outcome }: TestCase) => outcome !== "failed";

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
 * Runs the files that failed once more, alone and one after the other, and returns the cases that
 * count: of these files those of the second run. What failed in a file that passes now is returned
 * as flaky: it stops nobody's work, and nobody can miss it.
 */
export async function giveSecondChance(
	cases: readonly TestCase[],
	groups: readonly TestGroup[],
	{ runAlone, print }: SecondRun,
): Promise<{ cases: TestCase[]; flaky: FlakyTest[] }> {
	const failed = cases.filter(({ outcome }) => outcome === "failed");
	const failedFiles = new Set(failed.map(({ file }) => file));
	const tries = groups.flatMap((group) =>
		group.files
			.filter((file) => failedFiles.has(file) && !file.startsWith(STYLE))
			.map((file) => ({ group, file })),
	);
	if (tries.length === 0) return { cases: [...cases], flaky: [] };
	if (tries.length > FILES_MAX) {
		print(`── ${tries.length} files failed; none is run again`);
		return { cases: [...cases], flaky: [] };
	}
	print(`── second chance, one file at a time: ${tries.length} files`);
	const second = new Map<string, TestCase[]>();
	for (const { group, file } of tries) second.set(file, await runAlone(group, file));
	for (const { name, files } of groups) {
		// That the group was stopped is made good by all the files that it cost.
		const again = files.flatMap((file) => second.get(file) ?? []);
		if (again.length > 0 && again.every(isGood)) second.set(`test/run/${name}`, []);
	}
	const passed = new Set([...second].filter(([, now]) => now.every(isGood)).map(([file]) => file));
	return {
		cases: [...cases.filter(({ file }) => !second.has(file)), ...[...second.values()].flat()],
		flaky: failed.filter(({ file }) => passed.has(file)).map(flakyOf),
	};
}

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

function flakyOf({ file, classname, name, detail }: TestCase): FlakyTest {
	return { file, test: [classname, name].filter((part) => part !== "").join(" > "), detail };
}

async function readKept(path: string) {
	const file = Bun.file(path);
	if (!(await file.exists())) return [];
	const text: unknown = await file.json().catch(() => null);
	return kept.safeParse(text).data ?? [];
}
