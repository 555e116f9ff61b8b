import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Subprocess } from "bun";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import manifest from "../../package.json";

// Guarantee: on a fresh clone every script of package.json does its own set-up and starts.

const ROOT = join(import.meta.dir, "../..");
/**
 * Not beside this repository, where our own packages would be found; not in memory, as they are 450
 * MB.
 */
const FOLDER = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
const clone = mkdtempSync(join(FOLDER, "tapeline-clone-"));
const children: Subprocess[] = [];
afterAll(async () => {
	for (const child of children) child.kill("SIGKILL");
	await Promise.all(children.map(({ exited }) => exited));
	rmSync(clone, { recursive: true, force: true });
});

type Ran = { code: number; output: string };

/** Runs `bun` in the clone, to its end or until its output matches. */
async function run(args: string[], enough = /^\0$/): Promise<Ran> {
	// Without the variables of this run, which a newcomer's machine does not have.
	const { PATH, HOME, BUN_INSTALL, BUN_INSTALL_CACHE_DIR, NPM_CONFIG_REGISTRY } = process.env;
	const child = Bun.spawn([process.execPath, ...args], {
		cwd: clone,
		env: { PATH, HOME, BUN_INSTALL, BUN_INSTALL_CACHE_DIR, NPM_CONFIG_REGISTRY },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		timeout: WAIT_LIMIT_MS,
	});
	children.push(child);
	let output = "";
	const readers = [child.stdout, child.stderr].map(async (stream) => {
		const decoder = new TextDecoder();
		for await (const chunk of stream) {
			output += decoder.decode(chunk, { stream: true });
			if (enough.test(output)) child.kill("SIGTERM");
		}
	});
	await Promise.all(readers);
	return { code: await child.exited, output };
}

/** Copies the files that git knows here, committed or not. Returns why that failed, or null. */
async function copyFiles(): Promise<string | null> {
	const listed = Bun.spawnSync(["git", "ls-files", "-co", "--exclude-standard", "-z"], {
		cwd: ROOT,
	});
	if (!listed.success) return "this is no clone of a repository";
	const paths = listed.stdout.toString().split("\0").filter(Boolean);
	const folders = new Set(paths.map((path) => dirname(path)));
	for (const folder of folders) await mkdir(join(clone, folder), { recursive: true });
	await Promise.all(
		paths
			.filter((path) => existsSync(join(ROOT, path)))
			.map((path) => cp(join(ROOT, path), join(clone, path))),
	);
	return null;
}

/**
 * Returns null if packages can be installed, from the registry or from the cache; else the reason.
 */
async function whyNot(): Promise<string | null> {
	if (!Bun.which("git")) return "there is no git";
	const why = await copyFiles();
	if (why !== null) return why;
	first = await run(["run", "--silent", "bench", "--help"]);
	if (first.code === 0) return null;
	const { code, output } = await run(["install", "--frozen-lockfile"]);
	// A lock file that does not fit is our own mistake, and no reason to skip the test.
	if (code === 0 || output.includes("lockfile had changes")) return null;
	return `the packages cannot be installed: ${output.trim().split("\n").at(-1)}`;
}

/** The output of the first script that ran in the clone. */
let first: Ran = { code: 1, output: "" };
const testOnClone = skipWithReason(await whyNot());

/** Moves the installed packages away, so that the clone is as after `git clone`. */
function uninstall(): void {
	if (!existsSync(join(clone, "node_modules"))) return;
	renameSync(join(clone, "node_modules"), mkdtempSync(join(clone, "away-")));
}

const INSTALLS = /^(?:\[ -d node_modules \] \|\| )?bun install --frozen-lockfile --silent && /;
const names = Object.keys(manifest.scripts);

test("every script installs what it needs before it runs", () => {
	expect(names.sort()).toEqual(
		["bench", "check", "dev", "peers", "prove", "start", "svc", "test", "up"].sort(),
	);
	for (const command of Object.values(manifest.scripts)) expect(command).toMatch(INSTALLS);
});

function expectHelp(name: string, ran: Ran): void {
	expect({ name, ...ran }).toEqual({
		name,
		code: 0,
		output: expect.stringMatching(new RegExp(`^bun run ${name}\\b`, "m")),
	});
}

testOnClone("every script starts on a fresh clone, and --help says what it does", async () => {
	expectHelp("bench", first);
	// The first script installs all packages from nothing; the others find what it installed.
	uninstall();
	for (const name of ["start", ...names.filter((one) => !/start|bench|dev/.test(one))]) {
		expectHelp(name, await run(["run", "--silent", name, "--help"]));
	}
	// It watches for changes without an end, so the test ends it.
	const { output } = await run(["run", "--silent", "dev", "--help"], /^bun run start\b/m);
	expectHelp("start", { code: 0, output });
});
