// Finds the tests that a change can reach through imports.

import { posix } from "node:path";

/** Runs git with arguments and returns what it printed; null where it failed or is not there. */
export type Git = (args: readonly string[]) => Promise<string | null>;

export type Reach = {
	/** What has changed, from the root. */
	changed: readonly string[];
	/** What each module imports. */
	imports: ReadonlyMap<string, readonly string[]>;
};

/** Where work begins, the first of these that the clone has. */
const BASES = ["origin/HEAD", "origin/main", "main"];

const MODULES = new Bun.Glob("{core,plugins,agent,api,test}/**/*.{ts,tsx}");

/** Packages, and whole programs of others that the bench runs. */
const NOT_OURS = /(?:^|\/)node_modules\/|^test\/bench\/peers\/projects\//;

/** Style and documents are about the whole tree. */
const ALWAYS = "test/tidy/";

/** What every test depends on. */
const EVERYTHING = /^(?:package\.json|bun\.lock|bunfig\.toml|tsconfig\.json)$/;

/** Puts all plugins together: whoever starts the whole service would be reached by each of them. */
const WHOLE = "api/builtinPlugins.ts";

const MODULE = /\.tsx?$/;

/**
 * Returns the tests that a change can reach through imports: those that changed, those that import
 * what changed, however far away, and the rules of style. What is no module, such as SQL, counts as
 * a change of the modules in its folder and in the one above.
 *
 * Through the list of all plugins nothing is followed, or a change of one plugin would reach each
 * test of a whole system; those are for `bun run test`.
 */
export function testsOfChanged(tests: readonly string[], { changed, imports }: Reach): string[] {
	if (changed.some((path) => EVERYTHING.test(path))) return [...tests];
	const importers = importersOf(imports);
	const reached = new Set(changed.flatMap((path) => modulesOf(path, imports)));
	const open = [...reached];
	for (let path = open.pop(); path !== undefined; path = open.pop()) {
		if (path === WHOLE && !changed.includes(WHOLE)) continue;
		for (const importer of importers.get(path) ?? []) {
			if (reached.has(importer)) continue;
			reached.add(importer);
			open.push(importer);
		}
	}
	return tests.filter((test) => test.startsWith(ALWAYS) || reached.has(test));
}

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

/**
 * Returns what each module of the project imports of the project, by paths from the root. What is
 * imported for its types alone is left out: that it still fits is for the type checker to say.
 */
export async function readImports(root: string): Promise<Map<string, string[]>> {
	const [ts, tsx] = [
		new Bun.Transpiler({ loader: "ts" }),
		new Bun.Transpiler({ loader: "tsx" }),
	] as const;
	const paths = [...MODULES.scanSync({ cwd: root })];
	const modules = paths.filter((path) => !NOT_OURS.test(path));
	const read = modules.map(async (path) => {
		const text = await Bun.file(posix.join(root, path)).text();
		const transpiler = path.endsWith("x") ? tsx : ts;
		const found = transpiler.scanImports(text).map((one) => targetOf(path, one.path));
		return [path, found.filter((target) => target !== null)] as const;
	});
	return new Map(await Promise.all(read));
}

function importersOf(imports: Reach["imports"]): Map<string, string[]> {
	const importers = new Map<string, string[]>();
	for (const [path, targets] of imports) {
		for (const target of targets) {
			const known = importers.get(target) ?? [];
			known.push(path);
			importers.set(target, known);
		}
	}
	return importers;
}

function modulesOf(path: string, imports: Reach["imports"]): string[] {
	if (MODULE.test(path)) return [path, ...[...imports.keys()].filter((one) => isTestOf(one, path))];
	if (path.endsWith(".md")) return [];
	const folder = posix.dirname(path);
	const folders = [folder, posix.dirname(folder)];
	return [path, ...[...imports.keys()].filter((one) => folders.includes(posix.dirname(one)))];
}

/** `readX.test.ts` and `readX.bounds.test.ts` are of `readX.ts`, also where they start it. */
function isTestOf(test: string, path: string): boolean {
	const subject = path.replace(MODULE, "");
	return test.startsWith(`${subject}.`) && /\.test\.tsx?$/.test(test);
}

async function baseOf(git: Git): Promise<string> {
	for (const branch of BASES) {
		const base = await git(["merge-base", "HEAD", branch]);
		if (base) return base.trim();
	}
	return "HEAD";
}

/** Null for packages. */
function targetOf(path: string, specifier: string): string | null {
	if (specifier.startsWith("#")) return specifier.slice(1);
	if (!specifier.startsWith(".")) return null;
	return posix.join(posix.dirname(path), specifier);
}
