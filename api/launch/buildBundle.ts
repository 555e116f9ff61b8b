import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { LAST_LINE, ROOT } from "#api/launch/places.ts";
import { assert } from "#core/fault.ts";

const BUNDLES_KEPT = 8;
/** Ends the name of what Bun has compiled a file to; it looks for that beside the file. */
const COMPILED = ".jsc";

/**
 * Writes a program and all it imports into one file, which appears whole or not at all, whoever
 * else is at it. `isCurrent` is asked last: what was read may be newer than what the file is named
 * by.
 *
 * Compiled ahead to what the engine runs (`.jsc` beside it, which another version of Bun leaves
 * alone): a start takes a third less of the processor for 10 MB more at rest, and no more at the
 * largest (measured). Not minified: it is no smaller in memory (measured), and an error's stack can
 * be read.
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
		format: "cjs",
		bytecode: true,
		footer: LAST_LINE.trimEnd(),
		plugins: [ownPlaces, late, unused],
	});
	const [output, compiled] = built.outputs;
	assert(output, `a bundle was made of ${source}`);
	const files: [string, Blob | undefined][] = [
		[`${file}${COMPILED}`, compiled],
		// Last: where it is, what was compiled of it is beside it and whole.
		[file, output],
	];
	const contents: [string, ArrayBuffer][] = [];
	for (const [path, blob] of files) if (blob) contents.push([path, await blob.arrayBuffer()]);
	assert(isCurrent(), "no source changed while it was bundled");
	for (const [path, bytes] of contents) {
		const draft = `${path}.${process.pid}`;
		writeFileSync(draft, Buffer.from(bytes), { flush: true });
		renameSync(draft, path);
	}
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
	const names = readdirSync(folder).filter((name) => !name.endsWith(COMPILED));
	const files = names.map((name) => ({ name, atMs: ageOf(name) }));
	const old = files.sort((a, b) => b.atMs - a.atMs).slice(BUNDLES_KEPT);
	for (const { name } of old) {
		for (const path of [name, `${name}${COMPILED}`]) rmSync(join(folder, path), { force: true });
	}
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

const LATE_PACKAGES =
	/^(ai|@ai-sdk\/openai|@modelcontextprotocol\/server|twitter-api-v2|file-type)$/;

/** Leaves out half a megabyte of foreign code that is loaded and never used. */
const unused: Bun.BunPlugin = {
	name: "unused",
	setup(build) {
		// The queue's library looks for settings in files of whatever folder it is started in.
		build.onLoad({ filter: /node_modules\/cosmiconfig\/dist\/index\.js$/ }, () => {
			const contents = "exports.cosmiconfigSync = () => ({ search: () => null });";
			return { contents, loader: "js" };
		});
		// Messages in fifty languages; ours are English.
		build.onLoad({ filter: /node_modules\/zod\/v4\/locales\/index\.js$/ }, () => {
			return { contents: 'export { default as en } from "./en.js";', loader: "js" };
		});
	},
};
