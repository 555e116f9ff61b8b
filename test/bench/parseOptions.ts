import { parseArgs } from "node:util";

export type BenchOptions =
	| {
			kind: "run";
			/** The only figures to measure; null for all. */
			only: readonly string[] | null;
			/** True: also those that a whole run leaves out, because they take minutes of their own. */
			isFull: boolean;
			json: boolean;
			write: boolean;
			runs: number;
			profileDir: string | null;
	  }
	| { kind: "help" }
	| { kind: "wrong"; problem: string };

const RUNS_DEFAULT = 5;
const RUNS_MAX = 50;

export const USAGE = `bun run bench [options]

  --only NAME     measure the figures whose names begin so; may be given again
  --full          measure also what takes minutes of its own: other chains, nodes far away
  --json          print one JSON line for each figure instead of a table
  --write         put the results into test/bench/RESULTS.md
  --runs N        repeat what is timed so often, and take the median (default ${RUNS_DEFAULT})
  --profile DIR   write the service's CPU profiles to DIR; the figures then mean less

Figures:`;

/** Parses the command line; figures may be named in any case. */
export function parseOptions(args: readonly string[], names: readonly string[]): BenchOptions {
	try {
		const { values } = parseArgs({
			args: [...args],
			options: {
				only: { type: "string", multiple: true },
				full: { type: "boolean", default: false },
				json: { type: "boolean", default: false },
				write: { type: "boolean", default: false },
				runs: { type: "string", default: String(RUNS_DEFAULT) },
				profile: { type: "string" },
				help: { type: "boolean", default: false },
			},
		});
		if (values.help) return { kind: "help" };
		const { full: isFull, json, write, profile = null } = values;
		const runs = Number(values.runs);
		if (!(Number.isInteger(runs) && runs >= 1 && runs <= RUNS_MAX)) {
			return { kind: "wrong", problem: `--runs takes a whole number from 1 to ${RUNS_MAX}.` };
		}
		const only = values.only?.flatMap((wanted) => named(names, wanted.toLowerCase())) ?? null;
		const unknown = values.only?.find((wanted) => named(names, wanted.toLowerCase()).length === 0);
		if (unknown !== undefined) {
			return { kind: "wrong", problem: `There is no figure "${unknown}".` };
		}
		return { kind: "run", only, isFull, json, write, runs, profileDir: profile };
	} catch (error) {
		return { kind: "wrong", problem: error instanceof Error ? error.message : String(error) };
	}
}

/**
 * Returns the named figures; a complete name means only itself, even where others begin with it.
 */
function named(names: readonly string[], wanted: string): string[] {
	const whole = names.filter((name) => name.toLowerCase() === wanted);
	return whole.length > 0 ? whole : names.filter((name) => name.toLowerCase().startsWith(wanted));
}
