import { join } from "node:path";
import type { TestCase } from "#test/run/TestCase.ts";

const SLOWEST = 20;

/** Seconds that each file took, as a group's run wrote them down (`--update-timings`). */
export async function readTimes(
	folder: string,
	group: string,
	files: readonly string[],
): Promise<Map<string, number>> {
	const path = join(folder, `${group}.times.json`);
	const told = (await Bun.file(path)
		.json()
		.catch(() => null)) as { files?: Record<string, number> } | null;
	return new Map(
		files.flatMap((file) => {
			const ms = told?.files?.[file];
			return typeof ms === "number" ? [[file, ms / 1_000] as const] : [];
		}),
	);
}

/**
 * Returns what `--times` prints: the totals, and a table of the files that took longest, as
 * `test/README.md` has it. Files run side by side, so their seconds add up to more than the run's.
 */
export function timesTable(
	times: ReadonlyMap<string, number>,
	{ cases, tookSeconds }: { cases: readonly TestCase[]; tookSeconds: number },
): string[] {
	const all = [...times].sort(([, one], [, other]) => other - one);
	const sum = all.reduce((seconds, [, each]) => seconds + each, 0);
	const shown = all.slice(0, SLOWEST);
	const ofShown = shown.reduce((seconds, [, each]) => seconds + each, 0);
	const share = sum === 0 ? 0 : Math.round((100 * ofShown) / sum);
	const testsIn = Map.groupBy(cases, ({ file }) => file);
	return [
		`${cases.length} tests in ${all.length} files: ${round(sum)} s one after the other, ` +
			`${round(tookSeconds)} s side by side; the ${shown.length} below are ${share} %`,
		"",
		"| file | tests | seconds |",
		"| --- | ---: | ---: |",
		...shown.map(([file, seconds]) => {
			return `| \`${file}\` | ${testsIn.get(file)?.length ?? 0} | ${round(seconds)} |`;
		}),
	];
}

function round(seconds: number): string {
	return seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds));
}
