import { chmodSync, chownSync, lstatSync, mkdirSync } from "node:fs";
import type { ServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";

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

function isPrivateSocketDir(socketDir: string, user: ServerUser): boolean {
	const found = lstatSync(socketDir);
	return found.isDirectory() && found.uid === user.uid;
}
