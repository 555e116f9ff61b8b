import { join } from "node:path";
import { z } from "zod";
import type { TestCase } from "#test/run/TestCase.ts";

const SLOWEST = 20;

/** Seconds of a file: from its beginning to its end, and of processor time. */
export type FileTime = { seconds: number; processor: number };

const worked = z.object({ file: z.string(), seconds: z.number() });

/**
 * Seconds that each file took, as a group's run wrote them down (`--update-timings`), and what it
 * worked for that (`countProcessor`): itself and what it started, but not the run's PostgreSQL.
 */
export async function readTimes(
	folder: string,
	group: string,
	files: readonly string[],
): Promise<Map<string, FileTime>> {
	const path = join(folder, `${group}.times.json`);
	const processor = await readProcessor(join(folder, `${group}.processor.jsonl`));
	const told = (await Bun.file(path)
		.json()
		.catch(() => null)) as { files?: Record<string, number> } | null;
	return new Map(
		files.flatMap((file) => {
			const ms = told?.files?.[file];
			if (typeof ms !== "number") return [];
			return [[file, { seconds: ms / 1_000, processor: processor.get(file) ?? 0 }] as const];
		}),
	);
}

async function readProcessor(path: string): Promise<Map<string, number>> {
	const text = await Bun.file(path)
		.text()
		.catch(() => "");
	const lines = text.split("\n").filter((line) => line !== "");
	const read = lines.map((line) => worked.parse(JSON.parse(line)));
	return new Map(read.map(({ file, seconds }) => [file, seconds]));
}

/**
 * Returns what `--times` prints: the totals, and a table of the files that work longest, as
 * `test/README.md` has it. Files run side by side, so their seconds add up to more than the run's.
 */
export function timesTable(
	times: ReadonlyMap<string, FileTime>,
	{ cases, tookSeconds }: { cases: readonly TestCase[]; tookSeconds: number },
): string[] {
	const all = [...times].sort(([, one], [, other]) => other.processor - one.processor);
	const total = (files: typeof all) => files.reduce((sum, [, { processor }]) => sum + processor, 0);
	const sum = total(all);
	const shown = all.slice(0, SLOWEST);
	const ofShown = total(shown);
	const share = sum === 0 ? 0 : Math.round((100 * ofShown) / sum);
	const testsIn = Map.groupBy(cases, ({ file }) => file);
	return [
		`${cases.length} tests in ${all.length} files: ${round(sum)} s of processor time in ` +
			`${round(tookSeconds)} s; the ${shown.length} below are ${share} %`,
		"",
		"| file | tests | processor s | seconds |",
		"| --- | ---: | ---: | ---: |",
		...shown.map(([file, { seconds, processor }]) => {
			const tests = testsIn.get(file)?.length ?? 0;
			return `| \`${file}\` | ${tests} | ${round(processor)} | ${round(seconds)} |`;
		}),
	];
}

function round(seconds: number): string {
	return seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds));
}
