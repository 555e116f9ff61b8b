import { join } from "node:path";

const ROOT = join(import.meta.dir, "../../..");

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
