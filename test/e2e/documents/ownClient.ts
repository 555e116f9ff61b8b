// Packs the project's own client, installs it into an empty folder, and compiles what uses it.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "#test/e2e/documents/makeClients.ts";

const HERE = import.meta.dir;
const ROOT = join(HERE, "../../..");

/** Its own dependencies, as an installation would bring them; nothing else can be imported. */
const DEPENDENCIES = ["@noble/hashes", "openapi-fetch", "openapi-typescript-helpers"];

/** A machine that has Bun alone packs by it: the same files in the same form. */
const PACK = Bun.which("npm")
	? ["npm", "pack", "--offline", "--silent"]
	: [process.execPath, "pm", "pack"];

/** As strict as a careful project is; the package's own types are checked too. */
const TSCONFIG = {
	compilerOptions: {
		strict: true,
		noUncheckedIndexedAccess: true,
		exactOptionalPropertyTypes: true,
		target: "es2022",
		module: "nodenext",
		moduleResolution: "nodenext",
		lib: ["esnext", "dom"],
		types: [],
		noEmit: true,
		skipLibCheck: false,
	},
	files: ["useOwnClient.ts"],
};

/**
 * Builds the client from a service's documents, packs it with npm, unpacks that where an
 * installation would, and compiles the program of five jobs. Returns the program's path.
 */
export async function installOwnClient(url: string, folder: string): Promise<string> {
	const made = join(folder, "made");
	const home = join(folder, "empty");
	const modules = join(home, "node_modules");
	for (const name of [made, join(modules, "@noble")]) mkdirSync(name, { recursive: true });
	symlinkSync(join(ROOT, "node_modules"), join(made, "node_modules"));
	await run([process.execPath, join(ROOT, "client/build.ts"), url, made], made);
	await run([...PACK, "--ignore-scripts"], made);
	const installed = join(modules, "tapeline-client");
	mkdirSync(installed);
	const [packed = ""] = [...new Bun.Glob("*.tgz").scanSync({ cwd: made, absolute: true })];
	await run(["tar", "-xzf", packed, "--strip-components=1"], installed);
	for (const name of DEPENDENCIES) {
		symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
	}
	const program = join(home, "useOwnClient.ts");
	await Bun.write(program, Bun.file(join(HERE, "useOwnClient.txt")));
	await Bun.write(join(home, "package.json"), JSON.stringify({ type: "module", private: true }));
	await Bun.write(join(home, "tsconfig.json"), JSON.stringify(TSCONFIG));
	await runTool("typescript/bin/tsc", ["-p", home], { folder: home });
	return program;
}

async function run(command: string[], cwd: string): Promise<void> {
	const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
	const [out, err, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${out}${err}`);
}
