// Reads how long each test file took, and prints it.

import { join } from "node:path";
import { z } from "zod";
import type { TestCase } from "#test/run/junit.ts";

/** Seconds of a file: from its beginning to its end, and of processor time. */
export type FileTime = { seconds: number; processor: number };

/** Seconds that long test files take by themselves, as a run of the whole suite saw them. */
const SECONDS: Readonly<Record<string, number>> = {
	"test/sim/chaos.test.ts": 150,
	"test/e2e/liveness/liveness.test.ts": 90,
	"test/e2e/kills/kills.test.ts": 85,
	"test/e2e/reveals/killedPlan.test.ts": 75,
	"test/conformance/provider/trouble.test.ts": 54,
	"test/e2e/reveals/sandbox.test.ts": 60,
	"test/e2e/reveals/bursts.test.ts": 40,
	"test/e2e/kills/plans.test.ts": 25,
	"test/e2e/kills/ledger.test.ts": 15,
	"test/e2e/up.test.ts": 30,
	"core/db/embedded/startEmbeddedServer.test.ts": 30,
	"test/e2e/providerTrouble.test.ts": 51,
	"test/e2e/bridges/bridgeRules.test.ts": 18,
	"test/e2e/bridges/killedBridges.test.ts": 45,
	"test/e2e/bridges/ownWallets.test.ts": 8,
	"test/e2e/bridges/bridgeDeaths.test.ts": 12,
	"test/conformance/provider/busy.test.ts": 46,
	"test/e2e/providerCalls.test.ts": 37,
	"test/e2e/backfill.test.ts": 36,
	"test/conformance/provider/level.test.ts": 29,
	"test/e2e/hostileWords.test.ts": 29,
	"test/e2e/providerStream.test.ts": 28,
	"test/e2e/registration.test.ts": 25,
	"test/e2e/ownership.test.ts": 27,
	"test/e2e/figures.test.ts": 24,
	"test/e2e/liveness/randomKills.test.ts": 24,
	"test/sim/syncs/syncs.test.ts": 24,
	"test/e2e/documents/clients.test.ts": 23,
	"test/e2e/freshClone.test.ts": 22,
	"test/sim/pushedLogs.test.ts": 40,
	"test/sim/restingForks.test.ts": 23,
	"test/e2e/provider.test.ts": 22,
	"plugins/streams/plugin.test.ts": 22,
	"plugins/nft-buys/plan/planBuy.test.ts": 20,
	"test/conformance/provider/figures.test.ts": 20,
	"core/http/createQuickLane.property.test.ts": 20,
	"test/e2e/secondVenue.test.ts": 19,
	"test/sandbox/sandbox.test.ts": 19,
	"test/sandbox/reveals/startRevealStudio.test.ts": 15,
	"test/conformance/provider/stream.test.ts": 18,
	"test/e2e/gateMemory.test.ts": 18,
	"test/e2e/manyProcesses.test.ts": 18,
	"test/e2e/outage.test.ts": 18,
	"test/conformance/provider/slow.test.ts": 16,
	"test/e2e/databaseOutage.test.ts": 15,
};

/** What any other file is taken to need; also what a file needs that nobody has listed yet. */
const USUAL_SECONDS = 2;

/** The files that are listed as long. */
export const longFiles: readonly string[] = Object.keys(SECONDS);

const SLOWEST = 20;

const worked = z.object({ file: z.string(), seconds: z.number() });

/**
 * The durations of these files as `bun test --timings` reads them: the slowest then begins first,
 * and no worker ends a minute after the others. A wrong number costs time and nothing else. Bun
 * puts a file without a number before all others (1.4.5), so each gets one.
 */
export function fileTimes(files: readonly string[]): string {
	const times = files.map((file) => [file, 1_000 * (SECONDS[file] ?? USUAL_SECONDS)]);
	return JSON.stringify({ version: 1, files: Object.fromEntries(times) });
}

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

async function readProcessor(path: string): Promise<Map<string, number>> {
	const text = await Bun.file(path)
		.text()
		.catch(() => "");
	const lines = text.split("\n").filter((line) => line !== "");
	const read = lines.map((line) => worked.parse(JSON.parse(line)));
	return new Map(read.map(({ file, seconds }) => [file, seconds]));
}

function round(seconds: number): string {
	return seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds));
}
