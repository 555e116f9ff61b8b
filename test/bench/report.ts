// Judges the bench's results against their goals, and renders them.

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import type { Goal, Result } from "#test/bench/Figure.ts";
import { RESULTS_FILE } from "#test/bench/places.ts";

const BEGIN = "<!-- written by `bun run bench --write` -->";
const END = "<!-- what follows is written by people -->";

/**
 * Says whether a value reaches its goal. A figure without a goal cannot miss it; one that could not
 * be measured misses any.
 */
export function judge(value: number, goal: Goal): boolean {
	if (goal === null) return true;
	return goal.kind === "at_least" ? value >= goal.value : value <= goal.value;
}

/** Replaces the measured part of RESULTS.md and leaves what people wrote below it. */
export function writeResults(results: readonly Result[], at: Date): void {
	const [, remarks = "\n"] = readOld().split(END);
	const measured = renderResults(results, at);
	writeFileSync(RESULTS_FILE, `# Results\n\n${BEGIN}\n\n${measured}\n${END}${remarks}`);
}

/** Returns what `--write` puts between the markers of RESULTS.md: table, machine and date. */
function renderResults(results: readonly Result[], at: Date): string {
	const [cpu] = cpus();
	const memoryGb = Math.round(totalmem() / 1024 ** 3);
	const machine = `${cpus().length} × ${cpu?.model.trim() ?? "unknown CPU"}, ${memoryGb} GB`;
	const bun = `${process.platform} ${process.arch}, Bun ${Bun.version}`;
	const system = `${bun}, embedded PostgreSQL, fsync on`;
	return `${at.toISOString().slice(0, 10)}, ${machine}, ${system}.\n\n${renderTable(results)}\n`;
}

/** Returns the results as a Markdown table, aligned so that it also reads in a terminal. */
export function renderTable(results: readonly Result[]): string {
	const rows = results.map((result) => [
		result.name,
		`${formatValue(result.value)} ${result.unit}`,
		referenceText(result.reference),
		goalText(result.goal),
		result.goal === null ? "" : result.ok ? "met" : "MISSED",
		result.note ?? "",
	]);
	const head = ["figure", "value", "reference", "goal", "", "how"];
	const widths = head.map((title, column) => {
		return Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0));
	});
	const render = (cells: readonly string[]) =>
		`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
	const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
	return [render(head), rule, ...rows.map(render)].join("\n");
}

/** Returns four significant digits, and never an exponent. */
export function formatValue(value: number): string {
	if (!Number.isFinite(value)) return "?";
	const digits = Math.abs(value) >= 1_000 ? 0 : Math.abs(value) >= 100 ? 1 : 2;
	return value.toLocaleString("en", { maximumFractionDigits: digits });
}

function readOld(): string {
	try {
		return readFileSync(RESULTS_FILE, "utf8");
	} catch {
		return "";
	}
}

function referenceText(reference: Result["reference"]): string {
	return reference ? `${formatValue(reference.value)} ${reference.of}` : "";
}

function goalText(goal: Goal): string {
	if (goal === null) return "";
	return `${goal.kind === "at_least" ? "≥" : "≤"} ${formatValue(goal.value)}`;
}
