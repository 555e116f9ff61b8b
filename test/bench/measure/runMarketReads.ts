import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log/silentLog.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { indexSizes } from "#test/bench/fill/indexSizes.ts";
import { compareReads, type ReadTimes } from "#test/bench/measure/compareReads.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { openFilled } from "#test/bench/measure/openFilled.ts";
import type { ReadPath } from "#test/bench/measure/readPaths.ts";
import { openBareReads } from "#test/bench/reference/openBareReads.ts";

export type MarketRead = { name: string; calls: number; service: ReadTimes; bare: ReadTimes };

const CALLS = 300;

/** Collections for which the provider has told everything. */
const COLLECTIONS = 100;

const paths: readonly ReadPath[] = [
	{ name: "cold list", of: () => "/collections?chain=ethereum" },
	{ name: "detail", of: (turn) => `/collections/collection-${1 + (turn % COLLECTIONS)}` },
];

/**
 * Measures uncached pages of a small index with full tables of the provider's, beside one bare
 * statement that reads the same rows, asked in turn.
 */
export async function runMarketReads(options: {
	scope: Scope;
	say(line: string): void;
}): Promise<MarketRead[]> {
	const { scope, say } = options;
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const fill = indexSizes.small;
	const index = await openFilled(scope, { server, name: "market", fill, say });
	const bare = await openBareReads(index.connectionString, fill.nowMs);
	const closeBare = scope.defer(bare.close);
	const compared = await compareReads({ small: bare.ask, large: index.ask }, paths, {
		callsMin: CALLS,
	});
	await closeBare();
	await index.close();
	await stopServer();
	await data.remove();
	return compared.map(({ name, calls, small, large }) => {
		return { name, calls, service: large, bare: small };
	});
}
