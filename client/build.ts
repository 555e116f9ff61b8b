// Builds the client from the documents of a running service: `bun client/build.ts URL [FOLDER]`.

import { cpSync } from "node:fs";
import { join, resolve } from "node:path";

const HERE = import.meta.dir;
const MODULES = join(HERE, "../node_modules");
/** openapi-typescript needs the last TypeScript that has functions of its own. */
const PRELOAD = join(HERE, "../test/e2e/documents/typescriptForGenerators.ts");
const SOURCES = ["package.json", "README.md", "tsconfig.json", "src"];

const [url = "http://127.0.0.1:4000", into = HERE] = process.argv.slice(2);
await build(url, resolve(into));

/** Writes the types of both documents beside the sources, and compiles all of it to `dist`. */
async function build(service: string, folder: string): Promise<void> {
	if (folder !== HERE) {
		for (const name of SOURCES) cpSync(join(HERE, name), join(folder, name), { recursive: true });
	}
	const [openApi, asyncApi] = await Promise.all(
		["/openapi/json", "/asyncapi/json"].map(async (path) => (await fetch(service + path)).json()),
	);
	const sockets = { openapi: "3.1.0", info: { title: "Streams", version: "1" }, paths: {} };
	const schemas = { components: { schemas: asyncApi.components.schemas } };
	await Promise.all([
		generate({ document: openApi, folder, name: "schema" }),
		generate({ document: { ...sockets, ...schemas }, folder, name: "frames" }),
	]);
	const frames = join(folder, "src/frames.ts");
	await Bun.write(frames, `${await Bun.file(frames).text()}\n${unionsOf(asyncApi)}`);
	await run([join(MODULES, "typescript/bin/tsc"), "-p", folder], folder);
}

async function generate(given: { document: unknown; folder: string; name: string }): Promise<void> {
	const { document, folder, name } = given;
	const json = join(folder, `${name}.json`);
	await Bun.write(json, JSON.stringify(document));
	const cli = join(MODULES, "openapi-typescript/bin/cli.js");
	const args = [cli, json, "-o", join(folder, "src", `${name}.ts`)];
	await run(["--preload", PRELOAD, ...args], folder);
	await Bun.file(json).delete();
}

/** Returns a type for each stream: a union of the frames that the log holds, told apart by `type`. */
function unionsOf(asyncApi: {
	channels: Record<string, { messages: Record<string, unknown> }>;
	operations: Record<string, unknown>;
	components: { messages: Record<string, { payload: { $ref: string } }> };
}): string {
	const made = ["hello", "ping", "pong", "error", "snapshot_required"];
	return Object.entries(asyncApi.channels)
		.filter(([name]) => name.endsWith("Stream"))
		.map(([name, { messages }]) => {
			const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
			const sent = JSON.stringify(asyncApi.operations[`send${title}`]);
			const frames = Object.keys(messages)
				.filter((message) => sent.includes(`/messages/${message}"`) && !made.includes(message))
				.map((message) => asyncApi.components.messages[message]?.payload.$ref.split("/").at(-1))
				.map((schema) => `components["schemas"]["${schema}"]`);
			return `export type ${title}Frame = ${frames.join(" | ")};\n`;
		})
		.join("");
}

async function run(args: readonly string[], cwd: string): Promise<void> {
	const child = Bun.spawn([process.execPath, ...args], { cwd, stdout: "pipe", stderr: "pipe" });
	const [out, err, code] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	if (code === 0) return;
	process.stderr.write(out + err);
	process.exit(code);
}
