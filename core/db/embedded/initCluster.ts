import { randomUUID } from "node:crypto";
import {
	chownSync,
	closeSync,
	existsSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Layout } from "#core/db/embedded/chooseLayout.ts";
import type { ServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";
import { runCommand } from "#core/db/embedded/runCommand.ts";

const INITDB_TIMEOUT_MS = 120_000;

/**
 * Creates the cluster when there is none. The caller holds the decision lock.
 *
 * It is created under another name and renamed: a cluster with its final name is complete, and the
 * next start deletes what a kill left.
 */
export async function initCluster(options: {
	layout: Layout;
	native: string;
	user: ServerUser;
}): Promise<void> {
	const { layout, native, user } = options;
	const parent = dirname(layout.cluster);
	if (!existsSync(layout.cluster)) {
		for (const name of readdirSync(parent)) {
			if (name.startsWith("making-")) rmSync(join(parent, name), { recursive: true, force: true });
		}
		const making = join(parent, `making-${randomUUID()}`);
		mkdirSync(making, { mode: 0o700 });
		if (user.prefix.length > 0) chownSync(making, user.uid, user.gid);
		const result = await runCommand([...user.prefix, ...initdb(native, making)], {
			timeoutMs: INITDB_TIMEOUT_MS,
		});
		if (result.exitCode !== 0) {
			rmSync(making, { recursive: true, force: true });
			throw embeddedServerFault.embeddedServerCommand({ detail: `initdb: ${result.output}` });
		}
		renameSync(making, layout.cluster);
		syncFolder(parent);
	}
	if (!existsSync(layout.locationFile)) {
		const inside = parent === dirname(layout.locationFile);
		writeFileSync(layout.locationFile, inside ? "." : layout.cluster, { flush: true });
	}
}

function initdb(native: string, folder: string): string[] {
	return [
		join(native, "bin", "initdb"),
		`--pgdata=${folder}`,
		"--username=tapeline",
		// The private socket is the only way in, even if a later setting opens another.
		"--auth-local=trust",
		"--auth-host=reject",
		"--encoding=UTF8",
		// The server's own Unicode rules: no index depends on the machine's C library.
		"--locale=C",
		"--locale-provider=builtin",
		"--builtin-locale=C.UTF-8",
		"--no-instructions",
	];
}

/** Syncs a folder to disk, which makes a rename in it durable. */
function syncFolder(folder: string): void {
	const handle = openSync(folder, "r");
	fsyncSync(handle);
	closeSync(handle);
}
