import { posix } from "node:path";

/** Style and documents are about the whole tree. */
const ALWAYS = "test/tidy/";

/** What every test depends on. */
const EVERYTHING = /^(?:package\.json|bun\.lock|bunfig\.toml|tsconfig\.json)$/;

/** Puts all plugins together: whoever starts the whole service would be reached by each of them. */
const WHOLE = "api/builtinPlugins.ts";

const MODULE = /\.tsx?$/;

export type Reach = {
	/** What has changed, from the root. */
	changed: readonly string[];
	/** What each module imports. */
	imports: ReadonlyMap<string, readonly string[]>;
};

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
