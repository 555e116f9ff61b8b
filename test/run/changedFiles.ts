/** Runs git with arguments and returns what it printed; null where it failed or is not there. */
export type Git = (args: readonly string[]) => Promise<string | null>;

/** Where work begins, the first of these that the clone has. */
const BASES = ["origin/HEAD", "origin/main", "main"];

/**
 * Returns the files that differ from the branch that work is merged into: committed, changed or
 * new. Deleted ones are left out. Null where git cannot say, such as without a clone.
 */
export async function changedFiles(git: Git): Promise<string[] | null> {
	const changed = await git(["diff", "--name-only", "--diff-filter=d", await baseOf(git)]);
	const added = await git(["ls-files", "--others", "--exclude-standard"]);
	if (changed === null || added === null) return null;
	const paths = `${changed}\n${added}`.split("\n").filter((path) => path !== "");
	return [...new Set(paths)].sort();
}

async function baseOf(git: Git): Promise<string> {
	for (const branch of BASES) {
		const base = await git(["merge-base", "HEAD", branch]);
		if (base) return base.trim();
	}
	return "HEAD";
}
