import { parseArgs } from "node:util";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/**
 * Parses `--name value` pairs and words such as `--yes`. Anything else is refused with the
 * command's usage: an argument that is silently ignored would do something unintended.
 */
export function parseFlags(
	args: readonly string[],
	known: { usage: string; values: readonly string[]; words?: readonly string[] },
): ReadonlyMap<string, string> {
	const { usage, values, words = [] } = known;
	const options = Object.fromEntries([
		...values.map((name) => [name, { type: "string" as const }]),
		...words.map((name) => [name, { type: "boolean" as const }]),
	]);
	try {
		const parsed = parseArgs({
			args: joined(args, values),
			options,
			strict: true,
			allowPositionals: false,
		});
		return new Map(Object.entries(parsed.values).map(([name, value]) => [name, String(value)]));
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw scannerFault.command({ public: `${why}\nbun run svc ${usage}`, cause: error });
	}
}

/**
 * Rewrites `--to -1` as `--to=-1`: a negative number is a value, which its parser refuses in our
 * own words, and no flag.
 */
function joined(args: readonly string[], values: readonly string[]): string[] {
	const flags = new Set(values.map((name) => `--${name}`));
	const read: string[] = [];
	for (const arg of args) {
		const flag = read.at(-1) ?? "";
		if (/^-\d/.test(arg) && flags.has(flag)) read.splice(-1, 1, `${flag}=${arg}`);
		else read.push(arg);
	}
	return read;
}
