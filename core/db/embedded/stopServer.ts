import { join } from "node:path";
import type { ServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { findPostmaster } from "#core/db/embedded/findPostmaster.ts";
import { runCommand } from "#core/db/embedded/runCommand.ts";

const FAST_TIMEOUT_S = 60;
const IMMEDIATE_TIMEOUT_S = 10;

/**
 * Stops the server: fast, which ends connections and writes a checkpoint; if that hangs, immediate,
 * which costs the next start a recovery but loses no committed data.
 */
export async function stopServer(server: {
	native: string;
	cluster: string;
	user: ServerUser;
}): Promise<void> {
	for (const [mode, timeoutS] of [
		["fast", FAST_TIMEOUT_S],
		["immediate", IMMEDIATE_TIMEOUT_S],
	] as const) {
		if (findPostmaster(server.cluster) === undefined) return;
		const pgCtl = join(server.native, "bin", "pg_ctl");
		const args = ["stop", "-D", server.cluster, "-m", mode, "-w", "-t", String(timeoutS), "-s"];
		const timeoutMs = (timeoutS + 5) * 1_000;
		await runCommand([...server.user.prefix, pgCtl, ...args], { timeoutMs });
	}
}
