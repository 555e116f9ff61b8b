// Starts the embedded PostgreSQL or joins it, and leaves it at the end.

import { readFileSync } from "node:fs";
import type pg from "pg";
import { placeBinaries } from "#core/db/embedded/binaries.ts";
import { isHeldHere, keepProcessAlive, tryFileLock } from "#core/db/embedded/guardServer.ts";
import { initCluster } from "#core/db/embedded/launchServer.ts";
import {
	chooseLayout,
	chooseServerUser,
	embeddedServerFault,
	type Layout,
	prepareSocketDir,
	type ServerUser,
	shareName,
	socketUrl,
} from "#core/db/embedded/layout.ts";
import { connectToServer, countUsers, isOurServer, pollUntil } from "#core/db/embedded/server.ts";
import { spawnWatchdog, type Watchdog } from "#core/db/embedded/spawnWatchdog.ts";
import type { Log } from "#core/log.ts";

export type ServerPlace = {
	layout: Layout;
	native: string;
	user: ServerUser;
	settings: Record<string, string>;
};

/** Holds one process's share of a server. */
export type Share = {
	how: "started" | "joined";
	/** The connection that shows others that we use the server. */
	client: pg.Client;
	/** Ours if we started the server, or adopted one without a watchdog. */
	watchdog: Watchdog | undefined;
};

export type EmbeddedServer = {
	/** The connection string for `pg`: the database `tapeline`, over a Unix socket. */
	connectionString: string;
	how: "started" | "joined";
	/** The folder of its data: not always below DATA_DIR. */
	cluster: string;
	tookMs: number;
	/**
	 * Releases our share; end pools first. The server stops when no process of ours uses it any more.
	 * Resolves when it has stopped or been left to others.
	 */
	close(): Promise<void>;
};

/** A pool that was just ended is still visible for some milliseconds; an open one stays. */
const CONNECTIONS_GO_MS = 1_000;
const STOP_TIMEOUT_MS = 90_000;

const RETURNS_MAX = 20;
const RETURN_PAUSE_MS = 100;
const RETURN_PAUSE_MAX_MS = 10_000;

/** As long as another process may need for a start with crash recovery. */
const DECISION_TIMEOUT_MS = 200_000;
/** As long as a server may need that was launched for a process that is gone. */
const ORPHAN_TIMEOUT_MS = 120_000;

/**
 * Starts a real PostgreSQL for this DATA_DIR, without any installation, or shares it with processes
 * that already use it. It ends with the last of them, even if they are killed.
 *
 * @example
 * const server = await startEmbeddedServer({ dataDir: config.dataDir, log });
 * const pool = new pg.Pool({ connectionString: server.connectionString });
 */
export async function startEmbeddedServer(options: {
	dataDir: string;
	log: Log;
	/** Override our own settings. Only those of the process that starts the server apply. */
	settings?: Record<string, string>;
}): Promise<EmbeddedServer> {
	const startedMs = performance.now();
	const { dataDir, log, settings = {} } = options;
	const user = chooseServerUser();
	const native = await placeBinaries({ user, log });
	const layout = await chooseLayout({ dataDir, user, log });
	const obtain = () => startOrJoin({ layout, native, user, settings });
	const first = await obtain();
	const tookMs = Math.round(performance.now() - startedMs);
	log.info("the embedded PostgreSQL is ready", { how: first.how, tookMs, cluster: layout.cluster });
	return {
		connectionString: socketUrl(layout.socketDir),
		how: first.how,
		cluster: layout.cluster,
		tookMs,
		close: keepShare({ first, layout, log, obtain }),
	};
}

/**
 * Keeps a share for as long as the process wants it, even if the server dies meanwhile.
 *
 * A lost connection means that the server crashed, or was killed; a lost watchdog, that nothing
 * would stop it after us. In both cases `obtain` starts, joins or adopts it again, behind the same
 * socket, so that pools find it.
 *
 * @returns the function that gives the share back.
 */
export function keepShare(options: {
	first: Share;
	layout: Layout;
	log: Log;
	obtain: () => Promise<Share>;
}): () => Promise<void> {
	let share = options.first;
	let returning: Promise<void> | undefined;
	let closing: Promise<void> | undefined;

	const watch = (watched: Share) => {
		// A process with nothing else to do may end; the share ends with it.
		keepProcessAlive(watched.client, false);
		const lost = (what: string) => {
			if (closing || returning || share !== watched) return;
			returning = comeBack(what).finally(() => {
				returning = undefined;
			});
		};
		watched.client.once("end", () => lost("server"));
		void watched.watchdog?.ended.then(() => lost("watchdog"));
	};
	async function comeBack(lost: string): Promise<void> {
		options.log.error("the embedded PostgreSQL was lost and is taken up again", { lost });
		const before = share;
		before.watchdog?.letGo();
		for (let attempt = 0; attempt < RETURNS_MAX && !closing; attempt += 1) {
			try {
				share = await options.obtain();
				void before.client.end().catch(() => {});
				options.log.info("the embedded PostgreSQL is back", { how: share.how });
				return watch(share);
			} catch (cause) {
				options.log.error("the embedded PostgreSQL is not back yet", { attempt, cause });
				await Bun.sleep(Math.min(RETURN_PAUSE_MS * 2 ** attempt, RETURN_PAUSE_MAX_MS));
			}
		}
	}
	async function leave(): Promise<void> {
		await returning;
		keepProcessAlive(share.client, true);
		await leaveServer(share, options.layout);
	}
	watch(share);
	return () => {
		closing ??= leave();
		return closing;
	};
}

/**
 * Gives a share back, and waits for the server's end if it was the last one.
 *
 * The watchdog stops the server, ours or that of a process that is gone; its lock becomes free when
 * it is done.
 */
export async function leaveServer(share: Share, layout: Layout): Promise<void> {
	const left = await pollUntil(() => whoIsLeft(share), {
		timeoutMs: CONNECTIONS_GO_MS,
		everyMs: 20,
	});
	await share.client.end().catch(() => {});
	share.watchdog?.letGo();
	if (left !== "nobody") return;
	const ended = await pollUntil(() => hasEnded(layout), {
		timeoutMs: STOP_TIMEOUT_MS,
		everyMs: 20,
	});
	if (!ended) {
		throw embeddedServerFault.embeddedServerUnreachable({
			detail: `the server did not stop within ${STOP_TIMEOUT_MS} ms`,
		});
	}
}

/**
 * Joins the server of this DATA_DIR, or starts it.
 *
 * One process decides at a time, and a server is stopped under the same lock. So of several first
 * starts one starts and the others join, and none joins a server that is about to stop.
 */
export async function startOrJoin(place: ServerPlace): Promise<Share> {
	const { layout } = place;
	const lock = await pollUntil(() => tryFileLock(layout.decisionLock), {
		timeoutMs: DECISION_TIMEOUT_MS,
		everyMs: 10,
	});
	if (!lock) throw heldFault(layout);
	try {
		const share = await pollUntil(() => tryBoth(place), {
			timeoutMs: ORPHAN_TIMEOUT_MS,
			everyMs: 20,
		});
		if (!share) throw heldFault(layout);
		return share;
	} finally {
		lock.release();
	}
}

async function whoIsLeft(share: Share): Promise<"nobody" | "others" | undefined> {
	try {
		const users = await countUsers(share.client);
		if (users.shares > 0) return "others";
		return users.connections === 0 ? "nobody" : undefined;
	} catch {
		// The server is stopped already, or stopping.
		return "nobody";
	}
}

/** Returns true once the server has stopped, or a new process has joined it meanwhile. */
async function hasEnded(layout: Layout): Promise<true | undefined> {
	const lock = tryFileLock(layout.lifeLock);
	lock?.release();
	if (lock) return true;
	const client = await connectToServer(layout.socketDir, "leaving").catch(() => undefined);
	if (!client) return undefined;
	try {
		return (await countUsers(client)).connections > 0 ? true : undefined;
	} catch {
		return undefined;
	} finally {
		await client.end().catch(() => {});
	}
}

function heldFault(layout: Layout) {
	let holder = "an unknown process";
	try {
		holder = readFileSync(layout.holderFile, "utf8").slice(0, 200);
	} catch {
		// The holder of the lock has not written its name.
	}
	return embeddedServerFault.embeddedServerHeld({
		public: `DATA_DIR (${layout.dataDir}) is in use by a PostgreSQL server that cannot be reached from here (held by ${holder}). Stop that one, or use another DATA_DIR.`,
	});
}

/**
 * Joins or starts, once; returns undefined where it must be tried again, because the server's lock
 * is held here. A process that dies while it starts a server leaves a watchdog that still launches
 * it, and could end it only under the lock that we have: so it is joined as soon as it answers.
 */
async function tryBoth(place: ServerPlace): Promise<Share | undefined> {
	const share = (await join(place)) ?? (await start(place));
	if (!share && !isHeldHere(place.layout)) throw heldFault(place.layout);
	return share;
}

async function join(place: ServerPlace): Promise<Share | undefined> {
	const { layout } = place;
	prepareSocketDir(layout.socketDir, place.user);
	const client = await connectToServer(layout.socketDir, shareName);
	if (!client) return undefined;
	if (!(await isOurServer(client, layout.cluster).catch(() => false))) {
		await client.end();
		throw embeddedServerFault.embeddedServerHeld({
			public: `The server behind ${layout.socketDir} does not run on DATA_DIR (${layout.dataDir}). Stop it first.`,
		});
	}
	// If the lock is free its watchdog was killed: then it gets a new one.
	const free = tryFileLock(layout.lifeLock);
	free?.release();
	const watchdog = free ? await spawnWatchdog(planFor(place, "adopt")) : undefined;
	return { how: "joined", client, watchdog };
}

function planFor(place: ServerPlace, how: "launch" | "adopt") {
	const { layout, native, user, settings } = place;
	return {
		server: { native, cluster: layout.cluster, socketDir: layout.socketDir, user, settings },
		how,
		decisionLock: layout.decisionLock,
		lifeLock: layout.lifeLock,
		holderFile: layout.holderFile,
	};
}

/** Starts the server; returns undefined where another process keeps the life lock. */
async function start(place: ServerPlace): Promise<Share | undefined> {
	const { layout } = place;
	await initCluster(place);
	const watchdog = await spawnWatchdog(planFor(place, "launch"));
	if (!watchdog) return undefined;
	const client = await connectToServer(layout.socketDir, shareName);
	if (client) return { how: "started", client, watchdog };
	watchdog.letGo();
	throw embeddedServerFault.embeddedServerUnreachable({
		detail: `the server started, but nobody answers behind ${layout.socketDir}`,
	});
}
