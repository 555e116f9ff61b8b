import { cpus, totalmem } from "node:os";
import type { Result } from "#test/bench/Figure.ts";
import { renderTable } from "#test/bench/report/renderTable.ts";

/** Returns what `--write` puts between the markers of RESULTS.md: table, machine and date. */
export function renderResults(results: readonly Result[], at: Date): string {
	const [cpu] = cpus();
	const memoryGb = Math.round(totalmem() / 1024 ** 3);
	const machine = `${cpus().length} × ${cpu?.model.trim() ?? "unknown CPU"}, ${memoryGb} GB`;
	const bun = `${process.platform} ${process.arch}, Bun ${Bun.version}`;
	const system = `${bun}, embedded PostgreSQL, fsync on`;
	return `${at.toISOString().slice(0, 10)}, ${machine}, ${system}.\n\n${renderTable(results)}\n`;
}
