import { posix } from "node:path";

const MODULES = new Bun.Glob("{core,plugins,agent,api,test}/**/*.{ts,tsx}");

/** Packages, and whole programs of others that the bench runs. */
const NOT_OURS = /(?:^|\/)node_modules\/|^test\/bench\/peers\/projects\//;

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

/** Null for packages. */
function targetOf(path: string, specifier: string): string | null {
	if (specifier.startsWith("#")) return specifier.slice(1);
	if (!specifier.startsWith(".")) return null;
	return posix.join(posix.dirname(path), specifier);
}
