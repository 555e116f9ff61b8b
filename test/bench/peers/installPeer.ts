import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runStep } from "#test/bench/peers/runStep.ts";

const PROJECTS = join(import.meta.dir, "projects");
/** Written last: a folder without it was interrupted. */
const DONE = "installed";
const INSTALL_TIMEOUT_MS = 600_000;

/**
 * Puts a peer's packages and project files into a folder of the cache and returns its path.
 * Packages of the same package.json are used again; project files are always copied.
 */
export async function installPeer(project: string, cacheDir: string): Promise<string> {
	const source = join(PROJECTS, project);
	const manifest = readFileSync(join(source, "package.json"));
	const key = createHash("sha256").update(manifest).digest("hex").slice(0, 12);
	const folder = join(cacheDir, `${project}-${key}`);
	const isInstalled = existsSync(join(folder, DONE));
	if (!isInstalled) rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	cpSync(source, folder, { recursive: true });
	if (isInstalled) return folder;
	// npm, as the peers' own guides say; scripts run, since some packages place binaries by them.
	await runStep(
		{ args: ["npm", "install", "--no-audit", "--no-fund"], cwd: folder, env: {} },
		INSTALL_TIMEOUT_MS,
	);
	writeFileSync(join(folder, DONE), "");
	return folder;
}
