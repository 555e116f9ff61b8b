import { parseArgs } from "node:util";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/**
 * Reads `--name value` pairs and `--yes`-like words. Everything else is refused with how the
 * command is called: an argument that is silently left out does something nobody asked for.
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
		const parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
		return new Map(Object.entries(parsed.values).map(([name, value]) => [name, String(value)]));
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		throw scannerFault.command({ public: `${why}\nbun run svc ${usage}`, cause: error });
	}
}
