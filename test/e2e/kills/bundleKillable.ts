import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

export type KillableBundle = { entry: string; plugins: string[]; remove(): Promise<void> };

const FOLDER = join(import.meta.dir, "../../.data");
const OURS = /\/(?:core|plugins|agent|api|test)\/(?!.*node_modules).*\.ts$/;
const BUILTIN_PLUGINS = "/api/builtinPlugins.ts";
/** Not bundled: it reads files of its own beside its code. */
const LEFT_OUT = ["graphile-worker"];

/**
 * Bundles the killable service into a few large files: two thirds of a start from its sources are
 * spent on finding and parsing a thousand of them, and the tests start it hundreds of times. With a
 * list of plugins (`wallets`), no other built-in one is in the bundle: reading it takes time too.
 */
export async function bundleKillable(only?: readonly string[]): Promise<KillableBundle> {
	await mkdir(FOLDER, { recursive: true });
	const outdir = await mkdtemp(join(FOLDER, "killable-"));
	const names = ["killable", "pricesStandIn", "providerStandIn", "indexStandIn"];
	const built = await Bun.build({
		entrypoints: names.map((name) => join(import.meta.dir, `${name}.ts`)),
		outdir,
		target: "bun",
		// Shared code must exist once.
		splitting: true,
		external: LEFT_OUT,
		plugins: [
			{
				name: "places",
				setup: (build) => void build.onLoad({ filter: OURS }, (file) => inPlace(file, only)),
			},
		],
	});
	if (!built.success) throw new AggregateError(built.logs, "the service cannot be bundled");
	const [entry = "", ...plugins] = names.map((name) => join(outdir, `${name}.js`));
	return { entry, plugins, remove: () => rm(outdir, { recursive: true, force: true }) };
}

/** Replaces `import.meta.dir` by the folder of the source, beside which migrations are found. */
async function inPlace({ path }: { path: string }, only?: readonly string[]) {
	const text = await Bun.file(path).text();
	const kept = only && path.endsWith(BUILTIN_PLUGINS) ? keepOnly(text, only) : text;
	const contents = kept
		.replaceAll("import.meta.dir", JSON.stringify(dirname(path)))
		.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
	return { loader: "ts" as const, contents };
}

/** Leaves out of the list of built-in plugins all others, with their imports. */
function keepOnly(text: string, only: readonly string[]): string {
	const names = [...text.matchAll(/^import \{ (\w+)Plugin \}/gm)].flatMap(([, name]) => name ?? []);
	const missing = only.filter((name) => !names.includes(name));
	if (missing.length > 0) throw new Error(`no built-in plugins: ${missing.join(", ")}`);
	const left = names.filter((name) => !only.includes(name));
	return text
		.split("\n")
		.filter((line) => !left.some((name) => new RegExp(`\\b${name}Plugin\\b`).test(line)))
		.join("\n");
}
