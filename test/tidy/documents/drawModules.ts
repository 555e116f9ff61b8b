import { join } from "node:path";
import { moduleArrows } from "#test/tidy/documents/DocumentRule.ts";
import { projectFiles } from "#test/tidy/readSourceFile.ts";

const PAGE = join(import.meta.dir, "../../../ARCHITECTURE.md");
const BLOCK = /(<!-- modules:[^>]*-->\n)[\s\S]*?(<!-- \/modules -->)/;

/**
 * Answers a document with its module diagram drawn anew: a Mermaid graph of the imports between
 * plugins. Every plugin imports `core`, and `api` every plugin, so those arrows are left out.
 */
export function withModules(page: string, arrows: readonly [string, string][]): string {
	const shown = arrows.filter(([from, to]) => from !== "api" && to !== "core");
	const drawn = shown.map(([from, to]) => `  ${from} --> ${to}`);
	const diagram = [
		"```mermaid",
		"graph TD",
		...drawn,
		"  api --> plugins",
		"  plugins --> core",
		"```",
	];
	return page.replace(BLOCK, `$1${diagram.join("\n")}\n$2`);
}

if (import.meta.main && process.argv.includes("--write")) {
	const page = await Bun.file(PAGE).text();
	await Bun.write(PAGE, withModules(page, moduleArrows(await projectFiles())));
}
