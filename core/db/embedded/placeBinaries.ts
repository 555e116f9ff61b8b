import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { canReach } from "#core/db/embedded/canReach.ts";
import type { ServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { linkLibraries } from "#core/db/embedded/linkLibraries.ts";
import { locateBinaries } from "#core/db/embedded/locateBinaries.ts";
import { systemFolder } from "#core/db/embedded/systemFolder.ts";
import type { Log } from "#core/log/Log.ts";

/**
 * Returns the folder of the binaries, with their links, where the server's user can run them.
 *
 * A checkout below /root is common in containers, and only root can reach its node_modules: then
 * they are copied (60 MB, once per version) to a system folder.
 */
export async function placeBinaries(options: {
	user: ServerUser;
	log: Log;
	native?: string;
}): Promise<string> {
	const native = options.native ?? locateBinaries();
	linkLibraries(native);
	if (await canReach(options.user, join(native, "bin"))) return native;

	const packageJson = await Bun.file(join(native, "..", "package.json")).text();
	const version = createHash("sha256").update(packageJson).digest("hex").slice(0, 16);
	// `native` must stay the last part: the links are relative to its parent.
	const copy = join(systemFolder(`binaries-${version}`), "native");
	if (existsSync(copy)) return copy;
	options.log.info("the server's user cannot reach the PostgreSQL binaries; they are copied", {
		from: native,
		to: copy,
		user: options.user.name,
	});
	const making = join(dirname(copy), `making-${randomUUID()}`);
	cpSync(native, making, { recursive: true, verbatimSymlinks: true });
	try {
		renameSync(making, copy);
	} catch (cause) {
		// Another process was faster; its copy is as good.
		rmSync(making, { recursive: true, force: true });
		if (!existsSync(copy)) throw cause;
	}
	return copy;
}
