import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openServer } from "#api/service/openServer.ts";
import { alignBookClock } from "#core/audit/book/alignBookClock.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";
import type { Database } from "#core/db/Database.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import type { Log } from "#core/log/Log.ts";
import { AuditBookPoint } from "#core/plugin/AuditBookPoint.ts";
import { contributionsOf } from "#core/plugin/contributionsOf.ts";
import type { AnyPlugin } from "#core/plugin/Plugin.ts";
import { migrateQueue } from "#core/queue/runQueueWorkers.ts";

/** For requests and jobs; each chain's lanes wait for its lock with a connection in hand. */
const CONNECTIONS_FOR_ALL = 16;
const CONNECTIONS_PER_CHAIN = 4;
/** The embedded server takes 100; the queue and a second process need some too. */
const CONNECTIONS_MAX = 60;
const CORE_MIGRATIONS = {
	schema: "core",
	folder: join(import.meta.dir, "../../core/db/migrations"),
};

export type Storage = {
	db: Database;
	/** This process's name among its peers, new at each start, and that of its connections. */
	holder: string;
	session: string;
	/** For the operator: which database this is, without its password. */
	where: string;
	close(): Promise<void>;
};

export type StorageOptions = {
	/** Throws where this is the wrong database; asked before anything is written into it. */
	inspect?(connectionString: string, where: string): Promise<void>;
};

/** Opens the configured server, or starts the embedded one, and brings its schemas up to date. */
export async function openStorage(
	config: Pick<CoreConfig, "DATABASE_URL" | "DATA_DIR" | "CHAINS">,
	plugins: readonly AnyPlugin[],
	log: Log,
	{ inspect = async () => {} }: StorageOptions = {},
): Promise<Storage> {
	const server = await openServer(config, log);
	try {
		await inspect(server.connectionString, server.where);
		const tables = plugins.flatMap((plugin) => (plugin.tables ? [plugin.tables] : []));
		await migrate(server.connectionString, [CORE_MIGRATIONS, ...tables], log);
		await migrateQueue(server.connectionString);
		const holder = randomUUID();
		const session = `tapeline ${holder}`;
		const db = openDatabase({
			connectionString: server.connectionString,
			connectionsMax: Math.min(
				CONNECTIONS_FOR_ALL + CONNECTIONS_PER_CHAIN * config.CHAINS.length,
				CONNECTIONS_MAX,
			),
			applicationName: session,
			log,
		});
		await alignBookClock(db, { books: contributionsOf(plugins)(AuditBookPoint), log });
		return {
			db,
			holder,
			session,
			where: server.where,
			async close() {
				await db.close();
				await server.close();
			},
		};
	} catch (error) {
		await server.close();
		throw error;
	}
}
