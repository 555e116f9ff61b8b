import type { Measured } from "#test/bench/peers/measureIndexer.ts";

/** A row of the table. The floor lacks some figures: it has no counting proxy and no database. */
export type PeerRow = Pick<Measured, "title" | "rowsPerSecond" | "seconds"> &
	Partial<Omit<Measured, "title" | "rowsPerSecond" | "seconds">>;

const HEADS = [
	"",
	"rows/s",
	"Tapeline is",
	"s",
	"CPU s",
	"PostgreSQL s",
	"requests",
	"calls",
].concat(["refused", "peak MB"]);
const NONE = "–";

/**
 * Returns a Markdown table of the measurements, each beside the mean rate of our own runs: on a
 * busy machine that says more than the rate.
 */
export function renderPeers(rows: readonly PeerRow[], tapelineRowsPerSecond: number): string {
	const lines = rows.map((row) => [
		row.title,
		Math.round(row.rowsPerSecond).toLocaleString("en-US"),
		times(tapelineRowsPerSecond / row.rowsPerSecond),
		row.seconds.toFixed(2),
		decimals(row.cpuSeconds),
		decimals(row.postgresCpuSeconds),
		whole(row.requests),
		whole(row.calls),
		whole(row.refused),
		whole(row.peakMb),
	]);
	const widths = HEADS.map((head, n) => {
		return Math.max(...[head, ...lines.map((line) => line[n] ?? "")].map(({ length }) => length));
	});
	const render = (cells: readonly string[]) => {
		const padded = cells.map((cell, n) => {
			return n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0);
		});
		return `| ${padded.join(" | ")} |`;
	};
	const rule = widths.map((width, n) =>
		n === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
	);
	return [render(HEADS), render(rule), ...lines.map(render)].join("\n");
}

function times(value: number): string {
	return Number.isNaN(value) ? NONE : `× ${value.toFixed(2)}`;
}

function decimals(value: number | undefined): string {
	return value === undefined || Number.isNaN(value) ? NONE : value.toFixed(1);
}

function whole(value: number | undefined): string {
	if (value === undefined || Number.isNaN(value)) return NONE;
	return Math.round(value).toLocaleString("en-US");
}
