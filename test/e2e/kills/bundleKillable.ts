import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

export type KillableBundle = { entry: string; plugins: string[]; remove(): Promise<void> };

const FOLDER = join(import.meta.dir, "../../.data");
const OURS = /\/(?:core|plugins|agent|api|test)\/(?!.*node_modules).*\.ts$/;
/** Not bundled: it reads files of its own beside its code. */
const LEFT_OUT = ["graphile-worker"];

/**
 * Bundles the killable service into a few large files: two thirds of a start from its sources are
 * spent on finding and parsing a thousand of them, and the tests start it hundreds of times.
 */
export async function bundleKillable(): Promise<KillableBundle> {
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
		plugins: [{ name: "places", setup: (build) => void build.onLoad({ filter: OURS }, inPlace) }],
	});
	if (!built.success) throw new AggregateError(built.logs, "the service cannot be bundled");
	const [entry = "", ...plugins] = names.map((name) => join(outdir, `${name}.js`));
	return { entry, plugins, remove: () => rm(outdir, { recursive: true, force: true }) };
}

/** Replaces `import.meta.dir` by the folder of the source, beside which migrations are found. */
async function inPlace({ path }: { path: string }) {
	const text = await Bun.file(path).text();
	const contents = text
		.replaceAll("import.meta.dir", JSON.stringify(dirname(path)))
		.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
	return { loader: "ts" as const, contents };
}
