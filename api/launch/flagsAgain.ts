/**
 * Bun's own flags for a process that begins anew: all but the working directory, which it is in
 * already. Told again, a relative one would be looked for from there.
 */
export function flagsAgain(flags: readonly string[]): string[] {
	return flags.filter((flag, index) => {
		return flag !== "--cwd" && !flag.startsWith("--cwd=") && flags[index - 1] !== "--cwd";
	});
}
