// Decides where the embedded server's files are, and which user runs it.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
	chmodSync,
	chownSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	realpathSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { defineFaults } from "#core/fault.ts";
import type { Log } from "#core/log.ts";

export type CommandResult = { exitCode: number; output: string };

/** The places of all files of one server. */
export type Layout = {
	/** DATA_DIR, without symbolic links. */
	dataDir: string;
	/** PostgreSQL's own data directory: in DATA_DIR unless the server's user cannot reach that. */
	cluster: string;
	/** Contains the path of `cluster`, once there is one. */
	locationFile: string;
	/** Held briefly: while a process decides to start or join, and while one decides to stop. */
	decisionLock: string;
	/** Held by the watchdog for the server's whole life. */
	lifeLock: string;
	/** Says who holds `lifeLock`, for the error message. */
	holderFile: string;
	/** The private folder of the Unix socket. */
	socketDir: string;
};

export type ServerUser = {
	name: string;
	uid: number;
	gid: number;
	/**
	 * The words before a command so that it runs as this user; empty when the process already is this
	 * user.
	 */
	prefix: readonly string[];
};

/** Reasons why the embedded PostgreSQL cannot run; each sentence says what the operator can do. */
export const embeddedServerFault = defineFaults({
	embeddedServerMissing: {
		status: 503,
		retry: "never",
		public:
			"There is no embedded PostgreSQL for this platform here. Set DATABASE_URL to a PostgreSQL server.",
	},
	embeddedServerHeld: {
		status: 503,
		retry: "later",
		public:
			"Another server that cannot be reached from here is using DATA_DIR. Stop it, or use another DATA_DIR.",
	},
	embeddedServerUser: {
		status: 503,
		retry: "never",
		public:
			"PostgreSQL refuses to run as root and no unprivileged user was found to run it. Set DATABASE_URL.",
	},
	embeddedServerFolder: {
		status: 503,
		retry: "never",
		public: "The folder of the embedded PostgreSQL cannot be used.",
	},
	embeddedServerCommand: {
		status: 503,
		retry: "later",
		public: "A command of the embedded PostgreSQL failed.",
	},
	embeddedServerUnreachable: {
		status: 503,
		retry: "later",
		public: "The embedded PostgreSQL does not answer.",
	},
});

/**
 * The environment of the server's programs: nothing of ours, above all no PG* variable and no
 * secret.
 */
const commandEnv = {
	PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	LC_ALL: "C",
	TZ: "UTC",
};
const OUTPUT_CHARS_MAX = 20_000;

const PARENTS = ["/var/lib/tapeline", "/var/tmp/tapeline"] as const;

const CANDIDATES = ["postgres", "nobody"] as const;
const PROGRAM_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"] as const;

/** The application name of the connection by which a process shows that it uses the server. */
export const shareName = "tapeline-share";

/**
 * Decides where the cluster, the locks and the socket are.
 *
 * The locks always stay in DATA_DIR, because two containers share that. Once there is a cluster its
 * path is stored: a change of permissions must end in an error, never in an empty second cluster
 * beside the full one.
 */
export async function chooseLayout(options: {
	dataDir: string;
	user: ServerUser;
	log: Log;
}): Promise<Layout> {
	const { user, log } = options;
	const home = join(options.dataDir, "postgres");
	if (!existsSync(home)) {
		mkdirSync(home, { recursive: true });
		chmodSync(home, 0o755);
	}
	const dataDir = realpathSync(options.dataDir);
	const key = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
	const locationFile = join(dataDir, "postgres", "location");
	const place = { dataDir, user, locationFile };
	const cluster = readLocation(place) ?? (await firstLocation({ ...place, key, log }));
	return {
		dataDir,
		cluster,
		locationFile,
		decisionLock: join(dataDir, "postgres", "decision.lock"),
		lifeLock: join(dataDir, "postgres", "life.lock"),
		holderFile: join(dataDir, "postgres", "holder"),
		// Not os.tmpdir(): on macOS it is long, and a socket's path is limited to 103 to 107 bytes.
		socketDir: `/tmp/tapeline-${key}`,
	};
}

/**
 * Returns whether the server's user can enter a folder. Tried by a command: mode bits do not show
 * ACLs.
 */
export async function canReach(user: ServerUser, folder: string): Promise<boolean> {
	if (user.prefix.length === 0) return true;
	const command = [...user.prefix, "/bin/sh", "-c", 'test -x "$0"', folder];
	return (await runCommand(command, { timeoutMs: 5_000 })).exitCode === 0;
}

/**
 * Runs one program to its end, in its own session, so that Ctrl-C in a terminal does not end it.
 *
 * Returns any exit code; throws a Fault only if it did not end in time, or could not be started.
 */
export function runCommand(
	command: readonly string[],
	options: { timeoutMs: number },
): Promise<CommandResult> {
	const [program = "", ...args] = command;
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, {
			cwd: "/",
			env: commandEnv,
			detached: true,
			stdio: ["ignore", "pipe", "pipe"],
		});
		let output = "";
		const collect = (chunk: unknown) => {
			if (output.length < OUTPUT_CHARS_MAX) output += String(chunk);
		};
		child.stdout.on("data", collect);
		child.stderr.on("data", collect);
		const timer = setTimeout(() => {
			child.kill("SIGKILL");
			reject(
				embeddedServerFault.embeddedServerCommand({
					detail: `${program} did not end within ${options.timeoutMs} ms`,
					meta: { command, output },
				}),
			);
		}, options.timeoutMs);
		child.on("error", (cause) => {
			clearTimeout(timer);
			const detail = `${program} could not be started`;
			reject(embeddedServerFault.embeddedServerCommand({ detail, meta: { command }, cause }));
		});
		child.on("close", (code) => {
			clearTimeout(timer);
			resolve({ exitCode: code ?? -1, output: output.trim() });
		});
	});
}

/**
 * Returns a folder outside the checkout that the server's user can enter; creates it if missing.
 *
 * For root only: all users may enter it, and its content belongs to the server's user.
 */
export function systemFolder(name: string): string {
	let cause: unknown;
	for (const parent of PARENTS) {
		const folder = join(parent, name);
		try {
			mkdirSync(folder, { recursive: true });
			// Independent of this process's umask.
			for (const path of [parent, folder]) chmodSync(path, 0o755);
			return folder;
		} catch (problem) {
			cause = problem;
		}
	}
	throw embeddedServerFault.embeddedServerFolder({ detail: `no folder for ${name}`, cause });
}

/**
 * Returns the user that the server runs as: ourselves, or for root an existing unprivileged user.
 *
 * PostgreSQL refuses root. We never create a user: that would change the operator's machine.
 */
export function chooseServerUser(): ServerUser {
	const uid = process.getuid?.() ?? 0;
	if (uid !== 0) return { name: String(uid), uid, gid: process.getgid?.() ?? 0, prefix: [] };
	const passwd = readFileSync("/etc/passwd", "utf8");
	for (const name of CANDIDATES) {
		const [, , userId, groupId] =
			passwd
				.split("\n")
				.find((line) => line.startsWith(`${name}:`))
				?.split(":") ?? [];
		if (userId === undefined || groupId === undefined) continue;
		const user = { name, uid: Number(userId), gid: Number(groupId) };
		return { ...user, prefix: prefixFor(user) };
	}
	throw embeddedServerFault.embeddedServerUser({ detail: "neither postgres nor nobody exists" });
}

/**
 * Creates the socket's folder, for the server's user alone: every user of the socket is trusted.
 *
 * All users can write to /tmp, so a folder that another user created first is refused.
 */
export function prepareSocketDir(socketDir: string, user: ServerUser): void {
	try {
		mkdirSync(socketDir, { mode: 0o700 });
		if (user.prefix.length > 0) chownSync(socketDir, user.uid, user.gid);
	} catch (cause) {
		if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
	}
	if (!isPrivateSocketDir(socketDir, user)) {
		throw embeddedServerFault.embeddedServerFolder({
			public: `${socketDir} belongs to somebody else. Remove it: the embedded PostgreSQL keeps its socket there.`,
		});
	}
	chmodSync(socketDir, 0o700);
}

/**
 * Returns the connection string of a server behind a Unix socket, for `pg` and libpq.
 *
 * Port and sslmode are explicit, because both would otherwise come from PG* environment variables.
 * The application's name is a fallback, so that a pool may choose its own: it must start with
 * `tapeline`, by which the watchdog recognises users.
 */
export function socketUrl(socketDir: string, database = "tapeline"): string {
	const query = new URLSearchParams({
		host: socketDir,
		port: "5432",
		sslmode: "disable",
		fallback_application_name: "tapeline",
	});
	return `postgresql://tapeline@/${database}?${query}`;
}

function readLocation(place: { dataDir: string; locationFile: string }): string | undefined {
	if (!existsSync(place.locationFile)) return undefined;
	const written = readFileSync(place.locationFile, "utf8").trim();
	// `.` means "beside this file": DATA_DIR may be mounted elsewhere next time.
	const cluster = written === "." ? join(place.dataDir, "postgres", "cluster") : written;
	if (existsSync(join(cluster, "PG_VERSION"))) return cluster;
	throw embeddedServerFault.embeddedServerFolder({
		public: `DATA_DIR (${place.dataDir}) says that its database is in ${cluster}, but nothing is there. Bring it back, or delete ${place.locationFile} to start with an empty one.`,
	});
}

async function firstLocation(place: {
	dataDir: string;
	user: ServerUser;
	key: string;
	log: Log;
}): Promise<string> {
	const inside = join(place.dataDir, "postgres", "cluster");
	if (await canReach(place.user, dirname(inside))) return inside;
	const outside = join(systemFolder(place.key), "cluster");
	place.log.warn("the server's user cannot enter DATA_DIR; the database is put elsewhere", {
		dataDir: place.dataDir,
		cluster: outside,
		user: place.user.name,
	});
	return outside;
}

function prefixFor(user: { name: string; uid: number; gid: number }): string[] {
	const setpriv = findProgram("setpriv");
	if (setpriv) {
		return [setpriv, `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--"];
	}
	const runuser = findProgram("runuser");
	if (runuser) return [runuser, "-u", user.name, "--"];
	const su = findProgram("su");
	// `nobody` has no login shell, and su takes a shell line: the command becomes its arguments.
	if (su) return [su, "-s", "/bin/sh", user.name, "-c", 'exec "$0" "$@"', "--"];
	throw embeddedServerFault.embeddedServerUser({ detail: "no setpriv, runuser or su found" });
}

function findProgram(name: string): string | undefined {
	return PROGRAM_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function isPrivateSocketDir(socketDir: string, user: ServerUser): boolean {
	const found = lstatSync(socketDir);
	return found.isDirectory() && found.uid === user.uid;
}
