import type { Goal, Result } from "#test/bench/Figure.ts";

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

function referenceText(reference: Result["reference"]): string {
	return reference ? `${formatValue(reference.value)} ${reference.of}` : "";
}

function goalText(goal: Goal): string {
	if (goal === null) return "";
	return `${goal.kind === "at_least" ? "≥" : "≤"} ${formatValue(goal.value)}`;
}
