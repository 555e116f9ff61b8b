// Reads the command line of the comparison, and renders its table.

import { parseArgs } from "node:util";
import type { NodeLimits } from "#test/bench/measure/startCountingProxy.ts";
import type { Measured } from "#test/bench/peers/measureIndexer.ts";

export type PeerOptions =
	| {
			kind: "run";
			/** Peers to measure; we and the floor are always measured with them. */
			only: readonly string[];
			rows: number;
			limits: NodeLimits;
			json: boolean;
	  }
	| { kind: "help" }
	| { kind: "wrong"; problem: string };

/** A row of the table. The floor lacks some figures: it has no counting proxy and no database. */
export type PeerRow = Pick<Measured, "title" | "rowsPerSecond" | "seconds"> &
	Partial<Omit<Measured, "title" | "rowsPerSecond" | "seconds">>;

const ROWS_DEFAULT = 80_000;
const ROWS_MIN = 1_600;
const ROWS_MAX = 2_000_000;
const DELAY_MS_MAX = 10_000;
const CALLS_MAX = 1_000_000;
/** A provider as most of them are: of which `--metered` says how we stand beside others. */
const METERED = { delayMs: 50, callsPerSecond: 100 };

export const PEERS_USAGE = `bun run peers [options]

Measures programs next to us on the bench's chain, in turn with Tapeline and the bare floor.
Their packages are installed from npm, on first use, into a cache folder outside the project.

  --only NAME    measure only the peers whose names begin so; may be given again
  --rows N       about so many rows on the chain (default ${ROWS_DEFAULT})
  --delay MS     a node that is so far away, of a round trip
  --calls N      a node that allows so many JSON-RPC calls a second; the floor is left out then
  --metered      both as a provider has them, 50 ms and 100 calls, and the peers that can do with it
  --json         print one JSON line for each in place of a table

Peers:`;

const HEADS = [
	"",
	"rows/s",
	"Tapeline is",
	"s",
	"CPU s",
	"PostgreSQL s",
	"requests",
	"calls",
].concat(["of names", "refused", "peak MB"]);
const NONE = "–";

/** Reads the command line; peers may be named in any case. */
export function parsePeerOptions(
	args: readonly string[],
	names: readonly string[],
	canBeMetered: readonly string[] = [],
): PeerOptions {
	try {
		const { values } = parseArgs({
			args: [...args],
			options: {
				only: { type: "string", multiple: true, default: [""] },
				rows: { type: "string", default: String(ROWS_DEFAULT) },
				delay: { type: "string" },
				calls: { type: "string" },
				metered: { type: "boolean", default: false },
				json: { type: "boolean", default: false },
				help: { type: "boolean", default: false },
			},
		});
		if (values.help) return { kind: "help" };
		const wanted = values.only.map((name) => name.toLowerCase());
		const unknown = wanted.find((name) => !names.some((known) => known.startsWith(name)));
		if (unknown !== undefined) return wrong(`There is no peer "${unknown}".`);
		const rows = wholeNumber(values.rows, ROWS_MIN, ROWS_MAX);
		if (rows === null) return wrong(`--rows takes a whole number from ${ROWS_MIN} to ${ROWS_MAX}.`);
		const delayMs = wholeNumber(values.delay ?? "0", 0, DELAY_MS_MAX);
		if (delayMs === null) return wrong(`--delay takes whole milliseconds up to ${DELAY_MS_MAX}.`);
		const calls = values.calls === undefined ? undefined : wholeNumber(values.calls, 1, CALLS_MAX);
		if (calls === null) return wrong(`--calls takes a whole number from 1 to ${CALLS_MAX}.`);
		const { metered } = values;
		if (metered && (values.delay ?? values.calls) !== undefined) {
			return wrong("--metered is a --delay and --calls of its own.");
		}
		const among = metered ? names.filter((name) => canBeMetered.includes(name)) : names;
		const limited = { delayMs, ...(calls === undefined ? {} : { callsPerSecond: calls }) };
		return {
			kind: "run",
			only: among.filter((name) => wanted.some((start) => name.startsWith(start))),
			rows,
			limits: metered ? METERED : limited,
			json: values.json,
		};
	} catch (error) {
		return wrong(error instanceof Error ? error.message : String(error));
	}
}

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
		whole(row.nameCalls),
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

function wrong(problem: string): PeerOptions {
	return { kind: "wrong", problem };
}

function wholeNumber(text: string, min: number, max: number): number | null {
	if (!/^\d{1,9}$/.test(text)) return null;
	const value = Number(text);
	return value >= min && value <= max ? value : null;
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
