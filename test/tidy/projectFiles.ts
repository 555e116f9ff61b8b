import { join } from "node:path";
import { readSourceFile } from "#test/tidy/readSourceFile.ts";
import type { SourceFile } from "#test/tidy/SourceFile.ts";

const FILES = new Bun.Glob("{core,plugins,agent,api,test}/**/*.{ts,tsx}");

/** Generated code is outside the house's rules, and lives in these folders only. */
const GENERATED = /\/(abi|migrations|generated|node_modules)\//;

/** Files of other programs that the bench runs, by their rules: test/bench/peers/README.md. */
const OTHERS = /^test\/bench\/peers\/projects\//;

/** Every file of the project that a person wrote. */
export async function projectFiles(): Promise<SourceFile[]> {
	const root = join(import.meta.dir, "../..");
	const paths = [...FILES.scanSync({ cwd: root })]
		.filter((path) => !GENERATED.test(path) && !OTHERS.test(path))
		.sort();
	return Promise.all(
		paths.map(async (path) => readSourceFile(path, await Bun.file(join(root, path)).text())),
	);
}
