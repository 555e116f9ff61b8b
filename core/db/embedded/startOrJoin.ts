import { readFileSync } from "node:fs";
import type pg from "pg";
import type { Layout } from "#core/db/embedded/chooseLayout.ts";
import type { ServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { connectToServer } from "#core/db/embedded/connectToServer.ts";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";
import { initCluster } from "#core/db/embedded/initCluster.ts";
import { isOurServer } from "#core/db/embedded/isOurServer.ts";
import { pollUntil } from "#core/db/embedded/pollUntil.ts";
import { prepareSocketDir } from "#core/db/embedded/prepareSocketDir.ts";
import { shareName } from "#core/db/embedded/shareName.ts";
import { spawnWatchdog, type Watchdog } from "#core/db/embedded/spawnWatchdog.ts";
import { isHeldHere } from "#core/db/embedded/takeLifeLock.ts";
import { tryFileLock } from "#core/db/embedded/tryFileLock.ts";

/** As long as another process may need for a start with crash recovery. */
const DECISION_TIMEOUT_MS = 200_000;
/** As long as a server may need that was launched for a process that is gone. */
const ORPHAN_TIMEOUT_MS = 120_000;

export type ServerPlace = {
	layout: Layout;
	native: string;
	user: ServerUser;
	settings: Record<string, string>;
};

/** One process's share of a server. */
export type Share = {
	how: "started" | "joined";
	/** The connection that shows others that we use the server. */
	client: pg.Client;
	/** Ours if we started the server, or adopted one without a watchdog. */
	watchdog: Watchdog | undefined;
};

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
