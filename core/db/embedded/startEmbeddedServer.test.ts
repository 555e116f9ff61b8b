import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { tryFileLock } from "#core/db/embedded/guardServer.ts";
import { findPostmaster, pollUntil } from "#core/db/embedded/server.ts";
import { type EmbeddedServer, startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { type OtherProcess, spawnOther } from "#core/db/embedded/testing/spawnOther.ts";
import { silentLog } from "#core/log.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const testAsRoot = skipWithReason(
	process.getuid?.() === 0 ? null : "only root starts as another user",
);

/** Less than the wait for a watchdog that was about to end once added to a start. */
const NOT_LONG_MS = 4_000;

const folders: string[] = [];
const servers: EmbeddedServer[] = [];
const others: OtherProcess[] = [];

/** Returns a DATA_DIR that the server's user can enter, unlike with mkdtemp's mode. */
function newDataDir(mode = 0o755): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "tapeline-embedded-")));
	chmodSync(folder, mode);
	folders.push(folder);
	return folder;
}

/** The result of a first start, for tests of later ones: creating it takes most of a start. */
let madeOnce: string;

/** Returns a DATA_DIR with a cluster that was started and stopped once. */
function madeDataDir(): string {
	const dataDir = newDataDir();
	const copied = Bun.spawnSync(["cp", "-a", join(madeOnce, "postgres"), dataDir]);
	expect(copied.exitCode).toBe(0);
	return dataDir;
}

async function start(dataDir: string, log = silentLog): Promise<EmbeddedServer> {
	const server = await startEmbeddedServer({ dataDir, log });
	servers.push(server);
	return server;
}

function other(role: "server" | "lock", path: string): OtherProcess {
	const spawned = spawnOther(role, path);
	others.push(spawned);
	return spawned;
}

async function query(server: EmbeddedServer, text: string): Promise<Record<string, unknown>[]> {
	const pool = new pg.Pool({ connectionString: server.connectionString, max: 1 });
	try {
		return (await pool.query(text)).rows;
	} finally {
		await pool.end();
	}
}

/** Only an event that never happens takes this long, even on a busy machine. */
const NEVER_MS = 40_000;
const happens = <Answer>(ask: () => Promise<Answer | undefined> | Answer | undefined) =>
	pollUntil(ask, { timeoutMs: NEVER_MS, everyMs: 20 });

const clusterOf = (dataDir: string) => join(dataDir, "postgres", "cluster");
const isDown = (dataDir: string) => findPostmaster(clusterOf(dataDir)) === undefined;
const goesDown = (dataDir: string) => happens(() => isDown(dataDir) || undefined);

beforeAll(async () => {
	madeOnce = newDataDir();
	// Not among those that are removed after each test.
	folders.pop();
	await (await startEmbeddedServer({ dataDir: madeOnce, log: silentLog })).close();
});
afterAll(() => rmSync(madeOnce, { recursive: true, force: true }));

afterEach(async () => {
	for (const spawned of others.splice(0)) await spawned.kill();
	for (const server of servers.splice(0)) await server.close();
	for (const folder of folders.splice(0)) {
		await goesDown(folder);
		rmSync(folder, { recursive: true, force: true });
	}
});

describe("one process", () => {
	test("a first start gives a durable UTF-8 database that is reachable by its socket only", async () => {
		const server = await start(newDataDir());
		expect(server.how).toBe("started");
		const [row] = await query(
			server,
			`select current_database() as database, current_setting('server_encoding') as encoding,
				current_setting('fsync') as fsync, current_setting('synchronous_commit') as sync,
				current_setting('listen_addresses') as addresses, current_setting('jit') as jit,
				current_setting('application_name') as application, lower('ÄÉ') as lower`,
		);
		expect(row).toEqual({
			database: "tapeline",
			encoding: "UTF8",
			fsync: "on",
			sync: "on",
			addresses: "",
			jit: "off",
			application: "tapeline",
			lower: "äé",
		});
	});

	test("a later start has the data of the earlier start", async () => {
		const dataDir = madeDataDir();
		const first = await start(dataDir);
		await query(first, "create table kept as select 41 as n");
		await first.close();
		expect(isDown(dataDir)).toBe(true);
		const second = await start(dataDir);
		expect(second.how).toBe("started");
		expect(await query(second, "select n from kept")).toEqual([{ n: 41 }]);
	});

	test("a half-created cluster of a killed first start is removed, not used", async () => {
		const dataDir = newDataDir();
		const half = join(dataDir, "postgres", "making-half");
		await Bun.write(join(half, "PG_VERSION"), "18");
		// With the mode that the start itself sets, so that the server's user can pass.
		chmodSync(join(dataDir, "postgres"), 0o755);
		await start(dataDir);
		expect(
			readdirSync(join(dataDir, "postgres")).filter((name) => name.startsWith("making")),
		).toEqual([]);
	});

	test("closing twice has the effect of closing once", async () => {
		const server = await start(madeDataDir());
		await Promise.all([server.close(), server.close()]);
		await server.close();
	});

	test("the caller's settings apply, but cannot open the server to the network", async () => {
		const dataDir = madeDataDir();
		const settings = { work_mem: "7MB", "app.quote": "it's", listen_addresses: "*" };
		const server = await startEmbeddedServer({ dataDir, log: silentLog, settings });
		servers.push(server);
		const [row] = await query(
			server,
			`select current_setting('work_mem') as mem, current_setting('app.quote') as quote,
				current_setting('listen_addresses') as addresses`,
		);
		expect(row).toEqual({ mem: "7MB", quote: "it's", addresses: "" });
	});

	testAsRoot(
		"as root, a DATA_DIR nobody else may enter has its data elsewhere, says so, and keeps it",
		async () => {
			const dataDir = newDataDir(0o700);
			const said: Record<string, unknown>[] = [];
			const log = { ...silentLog, warn: (_: string, context = {}) => void said.push(context) };
			const first = await start(dataDir, log);
			const cluster = String(said[0]?.cluster);
			expect(first.cluster).toBe(cluster);
			expect(cluster).not.toStartWith(dataDir);
			folders.push(join(cluster, ".."));
			await query(first, "create table kept as select 1 as n");
			await first.close();
			chmodSync(dataDir, 0o755);
			const second = await start(dataDir);
			expect(await query(second, "select n from kept")).toEqual([{ n: 1 }]);
			await second.close();
			rmSync(cluster, { recursive: true });
			await expect(startEmbeddedServer({ dataDir, log: silentLog })).rejects.toMatchObject({
				code: "embedded_server_folder",
			});
		},
	);
});

describe("several processes", () => {
	test("two processes share one server, and neither loses a commit", async () => {
		const dataDir = madeDataDir();
		const one = await start(dataDir);
		await query(one, "create table log (n int)");
		const two = other("server", dataDir);
		expect((await two.answer()).how).toBe("joined");
		for (let n = 0; n < 20; n += 1) {
			await Promise.all([
				query(one, `insert into log values (${n})`),
				two.ask(`insert into log values (${n + 1_000})`),
			]);
		}
		expect((await two.ask("select count(*)::int as n from log")).rows).toEqual([{ n: 40 }]);
		// The process that started it leaves; the one that joined does not notice.
		await one.close();
		expect((await two.ask("select count(*)::int as n from log")).rows).toEqual([{ n: 40 }]);
		await two.ask("close");
		expect(isDown(dataDir)).toBe(true);
	});

	test("processes that start for the first time simultaneously use one server", async () => {
		const dataDir = newDataDir();
		const racers = [1, 2, 3].map(() => other("server", dataDir));
		const hows = (await Promise.all(racers.map((racer) => racer.answer()))).map(({ how }) => how);
		expect(hows.sort()).toEqual(["joined", "joined", "started"]);
		const system = "select pg_postmaster_start_time()::text as at";
		const answers = await Promise.all(racers.map((racer) => racer.ask(system)));
		expect(new Set(answers.map(({ rows }) => rows?.[0]?.at)).size).toBe(1);
	});

	test("a server that this process cannot reach is refused, and the error names DATA_DIR", async () => {
		const dataDir = madeDataDir();
		await (await start(dataDir)).close();
		// As another container on the same volume would: its lock is visible, its socket is not.
		const holder = other("lock", join(dataDir, "postgres", "life.lock"));
		expect((await holder.answer()).ok).toBe(true);
		const refused = await startEmbeddedServer({ dataDir, log: silentLog }).catch((fault) => fault);
		expect(refused.code).toBe("embedded_server_held");
		expect(refused.publicDetail).toContain(dataDir);
		expect(isDown(dataDir)).toBe(true);
		await holder.kill();
		expect((await start(dataDir)).how).toBe("started");
	});
});

describe("kill -9", () => {
	test("killing the only process stops the server", async () => {
		const dataDir = madeDataDir();
		const killed = other("server", dataDir);
		await killed.answer();
		await killed.ask("create table kept as select 7 as n");
		await killed.kill();
		expect(await goesDown(dataDir)).toBe(true);
		expect(await query(await start(dataDir), "select n from kept")).toEqual([{ n: 7 }]);
	});

	test("after the starting process is killed, a second process keeps the server until it ends", async () => {
		const dataDir = madeDataDir();
		const starter = other("server", dataDir);
		await starter.answer();
		const joiner = other("server", dataDir);
		expect((await joiner.answer()).how).toBe("joined");
		await starter.kill();
		const start = "select pg_postmaster_start_time()::text as at";
		const before = (await joiner.ask(start)).rows;
		// Longer than the watchdog takes to stop an unused server.
		await joiner.ask("select pg_sleep(1)");
		expect((await joiner.ask(start)).rows).toEqual(before);
		await joiner.kill();
		expect(await goesDown(dataDir)).toBe(true);
	});

	test("killing the postmaster loses no committed row, and the next start recovers the database", async () => {
		const dataDir = madeDataDir();
		const holder = other("server", dataDir);
		await holder.answer();
		await holder.ask("create table kept as select generate_series(1, 500) as n");
		const postmaster = findPostmaster(clusterOf(dataDir));
		// With its process, so that only the next start brings it back.
		process.kill(Number(postmaster), "SIGKILL");
		await holder.kill();
		const server = await start(dataDir);
		expect(await query(server, "select count(*)::int as n from kept")).toEqual([{ n: 500 }]);
		expect(findPostmaster(clusterOf(dataDir))).not.toBe(postmaster);
	});

	test("after process and postmaster are killed, a new start works once the watchdog has ended", async () => {
		const dataDir = madeDataDir();
		const holder = other("server", dataDir);
		await holder.answer();
		await holder.ask("create table kept as select 3 as n");
		const watchdog = Number(watchdogOf(dataDir));
		// As on a machine that is too busy to run it.
		process.kill(watchdog, "SIGSTOP");
		process.kill(Number(findPostmaster(clusterOf(dataDir))), "SIGKILL");
		await holder.kill();
		const starting = start(dataDir);
		const meanwhile = await Promise.race([starting, Bun.sleep(NOT_LONG_MS)]).finally(() => {
			process.kill(watchdog, "SIGCONT");
		});
		expect(meanwhile).toBeUndefined();
		expect(await query(await starting, "select n from kept")).toEqual([{ n: 3 }]);
	});

	test("killing a process that repairs its server leaves no server that blocks the next start", async () => {
		const dataDir = madeDataDir();
		const holder = other("server", dataDir);
		await holder.answer();
		await holder.ask("create table kept as select 5 as n");
		const first = watchdogOf(dataDir);
		process.kill(Number(findPostmaster(clusterOf(dataDir))), "SIGKILL");
		// Its new watchdog has the server's lock, and will launch a server for a process that is gone.
		const second = await happens(() => {
			const now = watchdogOf(dataDir);
			return now === undefined || now === first ? undefined : now;
		});
		process.kill(Number(second), "SIGSTOP");
		await holder.kill();
		const starting = start(dataDir);
		// It finds no server to join.
		await happens(() => isDeciding(dataDir) || undefined);
		process.kill(Number(second), "SIGCONT");
		expect(await query(await starting, "select n from kept")).toEqual([{ n: 5 }]);
	});

	test("a killed postmaster of a living process is started again at the same address", async () => {
		const dataDir = madeDataDir();
		const server = await start(dataDir);
		await query(server, "create table kept as select 9 as n");
		process.kill(Number(findPostmaster(clusterOf(dataDir))), "SIGKILL");
		const ask = () => query(server, "select n from kept").catch(() => undefined);
		const rows = await happens(ask);
		expect(rows).toEqual([{ n: 9 }]);
	});

	test("a killed watchdog is replaced: the server still ends with its last process", async () => {
		const dataDir = madeDataDir();
		const holder = other("server", dataDir);
		await holder.answer();
		const first = Number(watchdogOf(dataDir));
		process.kill(first, "SIGKILL");
		const second = await happens(() => {
			const now = watchdogOf(dataDir);
			return now === first ? undefined : now;
		});
		expect(second).toBeGreaterThan(0);
		await holder.kill();
		expect(await goesDown(dataDir)).toBe(true);
	});

	test("Ctrl-C for the whole group leaves the server up until the process has drained", async () => {
		const dataDir = madeDataDir();
		const server = await start(dataDir);
		const watchdog = Number(watchdogOf(dataDir));
		for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(watchdog, signal);
		expect(await query(server, "select pg_sleep(0.5), 1 as n")).toMatchObject([{ n: 1 }]);
		expect(isDown(dataDir)).toBe(false);
	});
});

function isDeciding(dataDir: string): boolean {
	const lock = tryFileLock(join(dataDir, "postgres", "decision.lock"));
	lock?.release();
	return lock === undefined;
}

/** Returns the pid of the process that holds the life lock. */
function watchdogOf(dataDir: string): number | undefined {
	try {
		const text = readFileSync(join(dataDir, "postgres", "holder"), "utf8");
		const pid = /^process (\d+)/.exec(text)?.[1];
		return pid === undefined ? undefined : Number(pid);
	} catch {
		return undefined;
	}
}
