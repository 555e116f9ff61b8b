import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { canReach } from "#core/db/embedded/canReach.ts";
import type { ServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";
import { systemFolder } from "#core/db/embedded/systemFolder.ts";
import type { Log } from "#core/log/Log.ts";

/** The places of all files of one server. */
export type Layout = {
	/** DATA_DIR, without symbolic links. */
	dataDir: string;
	/** PostgreSQL's own data directory: in DATA_DIR unless the server's user cannot reach that. */
	cluster: string;
	/** Contains the path of `cluster`, once there is one. */
	locationFile: string;
	/** Held briefly: while a process decides to start or join, and while one decides to stop. */
	decisionLock: string;
	/** Held by the watchdog for the server's whole life. */
	lifeLock: string;
	/** Says who holds `lifeLock`, for the error message. */
	holderFile: string;
	/** The private folder of the Unix socket. */
	socketDir: string;
};

/**
 * Decides where the cluster, the locks and the socket are.
 *
 * The locks always stay in DATA_DIR, because two containers share that. Once there is a cluster its
 * path is stored: a change of permissions must end in an error, never in an empty second cluster
 * beside the full one.
 */
export async function chooseLayout(options: {
	dataDir: string;
	user: ServerUser;
	log: Log;
}): Promise<Layout> {
	const { user, log } = options;
	const home = join(options.dataDir, "postgres");
	if (!existsSync(home)) {
		mkdirSync(home, { recursive: true });
		chmodSync(home, 0o755);
	}
	const dataDir = realpathSync(options.dataDir);
	const key = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
	const locationFile = join(dataDir, "postgres", "location");
	const place = { dataDir, user, locationFile };
	const cluster = readLocation(place) ?? (await firstLocation({ ...place, key, log }));
	return {
		dataDir,
		cluster,
		locationFile,
		decisionLock: join(dataDir, "postgres", "decision.lock"),
		lifeLock: join(dataDir, "postgres", "life.lock"),
		holderFile: join(dataDir, "postgres", "holder"),
		// Not os.tmpdir(): on macOS it is long, and a socket's path is limited to 103 to 107 bytes.
		socketDir: `/tmp/tapeline-${key}`,
	};
}

function readLocation(place: { dataDir: string; locationFile: string }): string | undefined {
	if (!existsSync(place.locationFile)) return undefined;
	const written = readFileSync(place.locationFile, "utf8").trim();
	// `.` means "beside this file": DATA_DIR may be mounted elsewhere next time.
	const cluster = written === "." ? join(place.dataDir, "postgres", "cluster") : written;
	if (existsSync(join(cluster, "PG_VERSION"))) return cluster;
	throw embeddedServerFault.embeddedServerFolder({
		public: `DATA_DIR (${place.dataDir}) says that its database is in ${cluster}, but nothing is there. Bring it back, or delete ${place.locationFile} to start with an empty one.`,
	});
}

async function firstLocation(place: {
	dataDir: string;
	user: ServerUser;
	key: string;
	log: Log;
}): Promise<string> {
	const inside = join(place.dataDir, "postgres", "cluster");
	if (await canReach(place.user, dirname(inside))) return inside;
	const outside = join(systemFolder(place.key), "cluster");
	place.log.warn("the server's user cannot enter DATA_DIR; the database is put elsewhere", {
		dataDir: place.dataDir,
		cluster: outside,
		user: place.user.name,
	});
	return outside;
}
