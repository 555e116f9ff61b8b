import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";

const PARENTS = ["/var/lib/tapeline", "/var/tmp/tapeline"] as const;

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
