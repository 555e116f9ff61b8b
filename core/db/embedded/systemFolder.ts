import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";

const PARENTS = ["/var/lib/tapeline", "/var/tmp/tapeline"] as const;

/**
 * A folder outside the checkout that the server's user can enter, made when missing.
 *
 * For root only: everybody may pass through it, and what is put in it is owned by the server's
 * user.
 */
export function systemFolder(name: string): string {
	let cause: unknown;
	for (const parent of PARENTS) {
		const folder = join(parent, name);
		try {
			mkdirSync(folder, { recursive: true });
			// Whatever the umask of this process is.
			for (const path of [parent, folder]) chmodSync(path, 0o755);
			return folder;
		} catch (problem) {
			cause = problem;
		}
	}
	throw embeddedServerFault.embeddedServerFolder({ detail: `no folder for ${name}`, cause });
}
