import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { TextFile } from "#test/tidy/documents/TextFile.ts";

const ROOT = join(import.meta.dir, "../../..");
const TEXT = /\.(ts|tsx|md|sql|json|toml|example|html|css|js|sol)$/;
const LEFT_OUT = new Set(["node_modules", ".git", ".data", ".report"]);

/** Reads every text file of the project. Others are there with an empty text: they can be named. */
export function textFiles(): TextFile[] {
	return readdirSync(ROOT, { withFileTypes: true })
		.filter(({ name }) => !LEFT_OUT.has(name))
		.flatMap((entry) => (entry.isDirectory() ? within(entry.name) : [entry.name]))
		.sort()
		.map((path) => ({ path, text: TEXT.test(path) ? readFileSync(join(ROOT, path), "utf8") : "" }));
}

function within(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
		.map((path) => join(folder, path).split(sep).join("/"))
		.filter((path) => !path.split("/").some((part) => LEFT_OUT.has(part)))
		.filter((path) => statSync(join(ROOT, path)).isFile());
}
