// Runs `bun run check`, `test` and `prove`, and returns their exit code.

import { chmod, mkdtemp, readdir, realpath, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log.ts";
import { testServer } from "#test/harness/testDatabase.ts";
import { runSuite } from "#test/run/runSuite.ts";
import type { Git } from "#test/run/testsOfChanged.ts";
import { watchParents } from "#test/run/watchParents.ts";

/** What installing needs of a machine. */
export type Machine = {
	has(command: string): boolean;
	isRoot: boolean;
	/** Runs a command to its end; its exit code. A command that hangs is ended. */
	run(command: readonly string[]): Promise<number>;
	say(line: string): void;
};

export type SuiteAsk =
	| { kind: "run" }
	| { kind: "help"; text: string }
	| { kind: "wrong"; text: string };

export type ScratchFolder = { path: string; remove(): Promise<void> };

/** Programs that tests start, and the Debian packages that have them. */
const TOOLS: Readonly<Record<string, string>> = { "redis-server": "redis-server" };

const USAGE = `bun run check              types, lint, style, unit tests that your changes reach
bun run check --all        the same, with every unit test
bun run test [PART …]      the same, and the tests of whole systems
bun run test --changed     as check, and tests of whole systems that your changes reach
bun run prove [PART …]     the same at full length, with fresh seeds, each of which it prints
bun run test --times       as test, and prints which twenty files work longest

PART   runs only the test files whose path contains one of the parts, also of check, without
       types and lint:
       bun run test core/money buys
What is left out says why. Files that failed run once more at the end, not in prove: a test that
passes then stands under the totals as flaky. The report is in test/.report.`;

const OPTIONS = new Set(["--prove", "--all", "--changed", "--times"]);

/** Runs git in this clone. */
export const runGit: Git = async (args) => {
	if (Bun.which("git") === null) return null;
	const cwd = join(import.meta.dir, "../..");
	const child = Bun.spawn(["git", ...args], { cwd, stdout: "pipe", stderr: "ignore" });
	const [text, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited]);
	return exitCode === 0 ? text : null;
};

/** A mirror that cannot be reached is not waited for longer. */
const COMMAND_TIMEOUT_MS = 120_000;

/** The machine that the tests run on. */
const thisMachine: Machine = {
	has: (command) => Bun.which(command) !== null,
	isRoot: process.getuid?.() === 0,
	async run(command) {
		const child = Bun.spawn([...command], {
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
			timeout: COMMAND_TIMEOUT_MS,
		});
		return child.exited;
	},
	say: (line) => void process.stdout.write(`${line}\n`),
};

/** Memory as a folder, on Linux; a container may have a small one. */
const MEMORY = "/dev/shm";
const FREE_BYTES_MIN = 4 * 2 ** 30;
const PREFIX = "tapeline-test-";

const EXIT_USAGE = 2;

/** Ctrl-C, an end that others ask for, and a terminal that is closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What `bun run check`, `test` and `prove` do; answers the exit code. */
export async function runSuiteScript(given: {
	unitOnly: boolean;
	/** Files whose tests alone run; null or left out: all tests. */
	changed?: readonly string[] | null;
	report: string;
	argv: readonly string[];
}): Promise<number> {
	const ask = readSuiteArgs(given.argv);
	if (ask.kind === "help") {
		process.stdout.write(`${ask.text}\n`);
		return 0;
	}
	if (ask.kind === "wrong") {
		process.stderr.write(`${ask.text}\n`);
		return EXIT_USAGE;
	}
	await installTools(thisMachine);
	const interrupted = new AbortController();
	const onSignal = () => interrupted.abort();
	for (const name of SIGNALS) process.on(name, onSignal);
	const leaveParents = watchParents(onSignal);
	const { signal } = interrupted;
	// A run whose machine nobody sees afterwards tells more.
	const argv = process.env["CI"] ? [...given.argv, "--times"] : given.argv;
	return withDatabase((env) => runSuite({ ...given, argv, env, signal })).finally(() => {
		for (const name of SIGNALS) process.off(name, onSignal);
		leaveParents();
	});
}

/**
 * Installs what the tests start and this machine lacks, where it is a Debian and we may.
 *
 * Without them those tests are skipped, each with its reason; so whatever fails here is said once,
 * and the run goes on.
 */
export async function installTools(machine: Machine): Promise<void> {
	const missing = Object.entries(TOOLS).filter(([command]) => !machine.has(command));
	if (missing.length === 0) return;
	const packages = missing.map(([, name]) => name);
	const why = await install(packages, machine);
	if (why === null) return;
	machine.say(`── without ${packages.join(", ")}: ${why}; the tests that need it are skipped`);
}

/** Reads the arguments of `check`, `test` and `prove`; an unknown one is refused with the usage. */
export function readSuiteArgs(argv: readonly string[]): SuiteAsk {
	if (argv.includes("--help") || argv.includes("-h")) return { kind: "help", text: USAGE };
	const unknown = argv.find((argument) => argument.startsWith("-") && !OPTIONS.has(argument));
	if (unknown === undefined) return { kind: "run" };
	return { kind: "wrong", text: `"${unknown}" is not an option.\n\n${USAGE}` };
}

/**
 * Keeps one embedded server up for a whole run: each test file makes a database of its own there,
 * and none waits for the server to start or ends it for the others. Their other files are in the
 * same place as the database's, which is removed in the end.
 */
async function withDatabase(
	run: (env: Record<string, string>) => Promise<number>,
): Promise<number> {
	const scratch = await scratchFolder();
	try {
		const server = await startEmbeddedServer({
			dataDir: join(scratch.path, "database"),
			log: silentLog,
			settings: testServer,
		});
		const env = { TEST_DATABASE_ADMIN_URL: server.connectionString, TMPDIR: scratch.path };
		return await run(env).finally(() => server.close());
	} finally {
		await scratch.remove();
	}
}

/**
 * A folder for what a run of the tests leaves behind, gone with the run: in memory where there is
 * enough. Most of what a test's database costs is the making of its thousand files.
 */
export async function scratchFolder(memory = MEMORY): Promise<ScratchFolder> {
	const parent = (await hasRoom(memory)) ? memory : tmpdir();
	await removeAbandoned(parent);
	const path = await realpath(await mkdtemp(join(parent, `${PREFIX}${process.pid}-`)));
	// PostgreSQL refuses to run as root, and another user has to get there.
	await chmod(path, 0o755);
	return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Null once the packages are there, else why they are not. */
async function install(packages: string[], machine: Machine): Promise<string | null> {
	if (!machine.has("apt-get")) return "there is no apt-get to install it with";
	const before = await privilege(machine);
	if (before === null) return "installing it takes root, or sudo without a password";
	machine.say(`── installing ${packages.join(", ")}`);
	const apt = [...before, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"];
	// An old list of packages is better than none: only the installation decides.
	await machine.run([...apt, "update"]);
	const code = await machine.run([...apt, "install", "-y", "--no-install-recommends", ...packages]);
	return code === 0 ? null : `apt-get ended with code ${code}`;
}

/** What stands before a command that needs root; null where nothing helps. */
async function privilege(machine: Machine): Promise<string[] | null> {
	if (machine.isRoot) return [];
	if (!machine.has("sudo")) return null;
	return (await machine.run(["sudo", "-n", "true"])) === 0 ? ["sudo", "-n"] : null;
}

async function hasRoom(folder: string): Promise<boolean> {
	const space = await statfs(folder).catch(() => null);
	return space !== null && space.bavail * space.bsize >= FREE_BYTES_MIN;
}

/** Removes what runs left that were killed. */
async function removeAbandoned(parent: string): Promise<void> {
	for (const name of await readdir(parent)) {
		const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
		if (!pid || isAlive(Number(pid))) continue;
		// Another user's stays: it is not ours to remove.
		await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code !== "ESRCH";
	}
}
