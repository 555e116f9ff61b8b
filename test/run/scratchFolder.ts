import { chmod, mkdtemp, readdir, realpath, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type ScratchFolder = { path: string; remove(): Promise<void> };

/** Memory as a folder, on Linux; a container may have a small one. */
const MEMORY = "/dev/shm";
const FREE_BYTES_MIN = 4 * 2 ** 30;
const PREFIX = "tapeline-test-";

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
