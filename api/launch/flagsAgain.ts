/**
 * Returns Bun's own flags for a process that starts again: all but the working directory, which
 * the process is in already. A relative one, given again, would be looked for from there.
 */
export function flagsAgain(flags: readonly string[]): string[] {
	return flags.filter((flag, index) => {
		return flag !== "--cwd" && !flag.startsWith("--cwd=") && flags[index - 1] !== "--cwd";
	});
}
