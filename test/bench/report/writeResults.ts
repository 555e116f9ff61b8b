import { readFileSync, writeFileSync } from "node:fs";
import type { Result } from "#test/bench/Figure.ts";
import { RESULTS_FILE } from "#test/bench/places.ts";
import { renderResults } from "#test/bench/report/renderResults.ts";

const BEGIN = "<!-- written by `bun run bench --write` -->";
const END = "<!-- what follows is written by people -->";

/** Replaces the measured part of RESULTS.md and leaves what people wrote below it. */
export function writeResults(results: readonly Result[], at: Date): void {
	const [, remarks = "\n"] = readOld().split(END);
	const measured = renderResults(results, at);
	writeFileSync(RESULTS_FILE, `# Results\n\n${BEGIN}\n\n${measured}\n${END}${remarks}`);
}

function readOld(): string {
	try {
		return readFileSync(RESULTS_FILE, "utf8");
	} catch {
		return "";
	}
}
