// Generates clients from an OpenAPI document, and compiles programs that use them.

import { symlinkSync } from "node:fs";
import { join } from "node:path";

const HERE = import.meta.dir;
const ROOT = join(HERE, "../../..");
const preload = join(HERE, "typescriptForGenerators.ts");

/** Strict, as in a careful project; the generated code is checked too. */
const TSCONFIG = {
	compilerOptions: {
		strict: true,
		noUncheckedIndexedAccess: true,
		noImplicitOverride: true,
		target: "esnext",
		module: "esnext",
		moduleResolution: "bundler",
		lib: ["esnext", "dom", "dom.iterable"],
		types: [],
		noEmit: true,
		skipLibCheck: false,
	},
	files: ["useOpenapiFetch.ts", "useHeyApi.ts"],
};

/**
 * Makes the clients of two generators from a document, beside programs that use them, and compiles
 * all of it. Returns their paths; throws where a generator or the compiler fails.
 */
export async function makeClients(document: string, folder: string): Promise<string[]> {
	symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
	await Bun.write(join(folder, "openapi.json"), document);
	await Bun.write(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
	const programs = ["useOpenapiFetch", "useHeyApi"].map(async (name) => {
		const path = join(folder, `${name}.ts`);
		await Bun.write(path, Bun.file(join(HERE, `${name}.txt`)));
		return path;
	});
	await Promise.all([
		runTool("openapi-typescript/bin/cli.js", ["openapi.json", "-o", "schema.d.ts"], {
			preload,
			folder,
		}),
		runTool(
			"@hey-api/openapi-ts/dist/run.mjs",
			["-i", "openapi.json", "-o", "hey", "--no-log-file"],
			{
				preload,
				folder,
			},
		),
	]);
	await runTool("typescript/bin/tsc", ["-p", folder], { folder });
	return Promise.all(programs);
}

/** Runs a tool of `node_modules` by Bun and returns its output; throws where the tool fails. */
export async function runTool(
	path: string,
	args: readonly string[],
	options: { preload?: string; folder?: string } = {},
): Promise<string> {
	const { preload, folder = ROOT } = options;
	const child = Bun.spawn({
		cmd: [
			process.execPath,
			...(preload ? ["--preload", preload] : []),
			join(ROOT, "node_modules", path),
			...args,
		],
		cwd: folder,
		// Neither tool may send telemetry or look for updates.
		env: {
			...process.env,
			REDOCLY_TELEMETRY: "off",
			REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
			CI: "1",
		},
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	if (code !== 0) throw new Error(`${path} ended with ${code}:\n${out}${err}`);
	return out + err;
}
