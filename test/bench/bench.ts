// Measures the service and prints the results. `bun run bench --help` lists the options.

import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { WORKLOAD } from "#test/bench/chain/workload.ts";
import { createLab } from "#test/bench/createLab.ts";
import type { Figure, Result } from "#test/bench/Figure.ts";
import { figures } from "#test/bench/figures.ts";
import { createScope } from "#test/bench/measure/startServiceProcess.ts";
import { parseOptions, USAGE } from "#test/bench/parseOptions.ts";
import { judge, renderTable, writeResults } from "#test/bench/report.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

const options = parseOptions(
	process.argv.slice(2),
	figures.map(({ name }) => name),
);
if (options.kind !== "run") {
	process.stderr.write(`${options.kind === "wrong" ? `${options.problem}\n\n` : ""}${USAGE}\n`);
	for (const { name } of figures) process.stderr.write(`  ${name}\n`);
	process.exit(options.kind === "help" ? 0 : EXIT_USAGE);
}
const { only, isFull, json, runs, write } = options;
const profileDir = options.profileDir === null ? null : resolve(options.profileDir);
if (profileDir !== null) mkdirSync(profileDir, { recursive: true });
const scope = createScope();
const results: Result[] = [];
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
	process.on(signal, async () => {
		// Pressed twice: it exits at once, and all child processes end with it.
		if (interrupted) process.exit(EXIT_INTERRUPTED);
		interrupted = true;
		process.stderr.write("stopping everything\n");
		// What was measured until then took minutes, and is worth printing.
		if (!json && results.length > 0) process.stdout.write(`${renderTable(results)}\n`);
		await scope.close();
		process.exit(EXIT_INTERRUPTED);
	});
}
// Work that is interrupted by the stop ends in errors that no code awaits any more.
process.on("unhandledRejection", (error) => {
	if (interrupted) return;
	process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
	void scope.close().finally(() => process.exit(EXIT_FAILED));
});
const say = (line: string) => void process.stderr.write(`… ${line}\n`);
const lab = createLab({ scope, workload: WORKLOAD, runs, profileDir, say });

for (const figure of figures) {
	const isWanted = only === null ? isFull || !figure.isByName : only.includes(figure.name);
	if (!isWanted) continue;
	const result = await measure(figure);
	if (interrupted) await new Promise(() => {});
	results.push(result);
	if (json) process.stdout.write(`${jsonLine(result)}\n`);
}
if (!json) process.stdout.write(`${renderTable(results)}\n`);
if (write) writeResults(results, new Date());
await scope.close();
process.exit(results.every(({ ok }) => ok) ? 0 : EXIT_FAILED);

/** Measures a figure. A failing one counts as missed, and does not stop the others. */
async function measure(figure: Figure): Promise<Result> {
	const { name, unit, goal } = figure;
	try {
		const reading = await figure.measure(lab);
		return { name, unit, goal, ...reading, ok: judge(reading.value, goal) };
	} catch (error) {
		if (!interrupted) process.stderr.write(`${name}: ${String(error)}\n`);
		return { name, unit, goal, value: Number.NaN, note: "could not be measured", ok: false };
	}
}

function jsonLine({ name, value, unit, reference, goal, ok, note }: Result): string {
	return JSON.stringify({ name, value, unit, reference, goal: goal?.value ?? null, ok, note });
}
