import { chooseLayout } from "#core/db/embedded/chooseLayout.ts";
import { chooseServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { keepShare } from "#core/db/embedded/keepShare.ts";
import { placeBinaries } from "#core/db/embedded/placeBinaries.ts";
import { socketUrl } from "#core/db/embedded/socketUrl.ts";
import { startOrJoin } from "#core/db/embedded/startOrJoin.ts";
import type { Log } from "#core/log/Log.ts";

export type EmbeddedServer = {
	/** For `pg`: the database `tapeline`, over a Unix socket. */
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
