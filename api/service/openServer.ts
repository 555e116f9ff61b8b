import { realpathSync } from "node:fs";
import { dirname, sep } from "node:path";
import { nameDatabase } from "#api/service/nameDatabase.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import type { Log } from "#core/log/Log.ts";

export type OpenedServer = {
	connectionString: string;
	/** For the operator: which database this is, without its password. */
	where: string;
	close(): Promise<void>;
};

/** The configured server, or the embedded one of DATA_DIR, started where it does not run. */
export async function openServer(
	config: Pick<CoreConfig, "DATABASE_URL" | "DATA_DIR">,
	log: Log,
): Promise<OpenedServer> {
	if (config.DATABASE_URL !== undefined) {
		return {
			connectionString: config.DATABASE_URL,
			where: nameDatabase(config.DATABASE_URL),
			close: async () => {},
		};
	}
	const server = await startEmbeddedServer({ dataDir: config.DATA_DIR, log });
	const { connectionString, cluster, how, tookMs } = server;
	const isInside = cluster.startsWith(`${realpathSync(config.DATA_DIR)}${sep}`);
	const folder = isInside ? config.DATA_DIR : dirname(cluster);
	const where = `embedded PostgreSQL in ${folder}, ${how} in ${Math.round(tookMs)} ms`;
	return { connectionString, where, close: () => server.close() };
}
