import type { ServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { runCommand } from "#core/db/embedded/runCommand.ts";

/**
 * Returns whether the server's user can enter a folder. Tried by a command: mode bits do not show
 * ACLs.
 */
export async function canReach(user: ServerUser, folder: string): Promise<boolean> {
	if (user.prefix.length === 0) return true;
	const command = [...user.prefix, "/bin/sh", "-c", 'test -x "$0"', folder];
	return (await runCommand(command, { timeoutMs: 5_000 })).exitCode === 0;
}
