import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { LAST_LINE, ROOT } from "#api/launch/places.ts";
import { assert } from "#core/fault.ts";

const BUNDLES_KEPT = 8;

/**
 * Writes a program and all it imports into one file, which appears whole or not at all, whoever
 * else is at it. `isCurrent` is asked last: what was read may be newer than what the file is named
 * by.
 *
 * Not minified: it is no smaller in memory (measured), and an error's stack can be read.
 */
export async function buildBundle(
	source: string,
	file: string,
	isCurrent: () => boolean = () => true,
): Promise<void> {
	const folder = dirname(file);
	mkdirSync(folder, { recursive: true });
	const built = await Bun.build({
		entrypoints: [source],
		target: "bun",
		plugins: [ownPlaces, late],
	});
	const [output] = built.outputs;
	assert(output, `a bundle was made of ${source}`);
	const text = await output.text();
	assert(isCurrent(), "no source changed while it was bundled");
	const draft = `${file}.${process.pid}`;
	writeFileSync(draft, `${text}\n${LAST_LINE}`, { flush: true });
	renameSync(draft, file);
	removeOld(folder);
}

/**
 * Removes old bundles. The newest stay: another checkout may share the folder, and be about to run
 * its own.
 */
function removeOld(folder: string): void {
	// Another process may have removed it just now.
	const ageOf = (name: string) =>
		statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
	const files = readdirSync(folder).map((name) => ({ name, atMs: ageOf(name) }));
	const old = files.sort((a, b) => b.atMs - a.atMs).slice(BUNDLES_KEPT);
	for (const { name } of old) rmSync(join(folder, name), { force: true });
}

/**
 * Replaces each module's own place in the bundle, where all would have the same, for files beside
 * it.
 */
const ownPlaces: Bun.BunPlugin = {
	name: "own-places",
	setup(build) {
		build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
			const text = await Bun.file(path).text();
			if (!path.startsWith(ROOT) || path.includes("/node_modules/")) {
				return { contents: text, loader: "ts" };
			}
			const contents = text
				.replaceAll(/\bimport\.meta\.dir\b/g, JSON.stringify(dirname(path)))
				.replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(path).href));
			return { contents, loader: "ts" };
		});
	},
};

/**
 * Leaves modules out of the bundle that few processes need, and only later: they are loaded from
 * where they are installed. In the bundle they cost each process 6 MB and 60 ms (measured).
 */
const late: Bun.BunPlugin = {
	name: "late",
	setup(build) {
		build.onResolve({ filter: LATE_PACKAGES }, ({ path, importer }) => {
			return { path: Bun.resolveSync(path, dirname(importer)), external: true };
		});
	},
};

const LATE_PACKAGES = /^(ai|@ai-sdk\/openai|@modelcontextprotocol\/server)$/;
