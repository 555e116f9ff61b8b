import { cliFault } from "#api/cli/faults.ts";

/**
 * For commands that take their settings from the environment and no arguments. One that is left
 * out of account would start something that nobody asked for, `--help` above all.
 */
export function wantsHelp(args: readonly string[], help: string): boolean {
	const [unknown] = args.filter((arg) => arg !== "--help" && arg !== "-h");
	if (unknown === undefined) return args.length > 0;
	throw cliFault.usage({ public: `"${unknown}" is not an argument of this command.\n\n${help}` });
}
