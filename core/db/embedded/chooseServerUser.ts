import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";

export type ServerUser = {
	name: string;
	uid: number;
	gid: number;
	/** What to put before a command so that it runs as this user; empty when we already are it. */
	prefix: readonly string[];
};

const CANDIDATES = ["postgres", "nobody"] as const;
const PROGRAM_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"] as const;

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
