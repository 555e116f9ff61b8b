import pg from "pg";
import { tryFileLock } from "#core/db/embedded/guardServer.ts";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { Fault } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";

/**
 * Runs a process for tests to start, ask and kill: it reads one command per line and answers a line
 * each. First argument `server` with a DATA_DIR, or `lock` with a file.
 */
async function otherProcess(role: string, path: string): Promise<void> {
	if (role === "lock") {
		say({ ok: tryFileLock(path) !== undefined });
		for await (const _ of console) {
			// Holds the lock until it is killed.
		}
		return;
	}
	const server = await startEmbeddedServer({ dataDir: path, log: silentLog });
	const pool = new pg.Pool({ connectionString: server.connectionString });
	pool.on("error", () => {});
	say({ ok: true, how: server.how, tookMs: server.tookMs });
	for await (const line of console) {
		if (line === "close") {
			await pool.end();
			await server.close();
			say({ ok: true });
			process.exit(0);
		}
		const { rows } = await pool.query(line);
		say({ ok: true, rows });
	}
}

function say(answer: Record<string, unknown>): void {
	process.stdout.write(`${JSON.stringify(answer)}\n`);
}

await otherProcess(process.argv[2] ?? "", process.argv[3] ?? "").catch((cause: unknown) => {
	const code = cause instanceof Fault ? cause.code : "unexpected";
	const text = cause instanceof Fault ? cause.publicDetail : String(cause);
	say({ ok: false, code, text });
	process.exit(1);
});
