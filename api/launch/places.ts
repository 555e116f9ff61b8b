import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");

/** What a bundle is made of: everything the service imports that is ours. */
export const SOURCE_FOLDERS = ["core", "plugins", "agent", "api"];

/** What else decides how a bundle looks: which version of whose code. */
export const PINNED_FILES = ["package.json", "bun.lock", "tsconfig.json"];

/** Git and packages leave it alone, and it goes when the packages are installed anew. */
export const BUNDLE_FOLDER = join(ROOT, "node_modules/.cache/tapeline");

/** A program that can be bundled. */
export type Program = "start" | "up";

export function sourceOf(program: Program): string {
	return join(ROOT, "api/cli/main", `${program}.ts`);
}
