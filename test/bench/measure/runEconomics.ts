// Measures reads of the token's economics, of a large and a small ledger.

import { join } from "node:path";
import { Elysia } from "elysia";
import { Client } from "pg";
import { z } from "zod";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Database } from "#core/db/Database.ts";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { buybackConfig } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { readStatus } from "#plugins/tokenomics/buyback/openBuyback.ts";
import { createEconomics } from "#plugins/tokenomics/economics/createEconomics.ts";
import { tokenomicsConfig } from "#plugins/tokenomics/limits.ts";
import { createContracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { economicsRoutes } from "#plugins/tokenomics/routes/economicsRoutes.ts";
import { FILLED, FILLED_CHAIN_ID, fillLedger } from "#test/bench/fill/fillLedger.ts";
import type { Ask } from "#test/bench/measure/openMarketService.ts";
import { compareReads, type ReadComparison } from "#test/bench/measure/runReads.ts";
import { openDataDir, type Scope } from "#test/bench/measure/startServiceProcess.ts";

export type EconomicsReads = {
	/** As in production: rows are read once a second for all callers. */
	served: ReadComparison;
	/** Each answer reads its own rows. */
	fresh: ReadComparison;
	events: { small: number; large: number };
};

const SIZES = { small: 10_000, large: 1_000_000 };
const NOW_MS = Date.UTC(2026, 10, 24, 2);
const CALLS = { callsMin: 500, callsMax: 3_000 };
const CONNECTIONS_MAX = 10;
/** Longer than rows are kept, so that each request reads them again. */
const NEXT_READ_MS = 1_001;
const PATH = "/v1/token/economics";
const ROOT = join(import.meta.dir, "../../..");
const MIGRATIONS = [
	{ schema: "core", folder: join(ROOT, "core/db/migrations") },
	{ schema: "tokenomics", folder: join(ROOT, "plugins/tokenomics/migrations") },
];

/**
 * Reads the token's economics of a ledger of a million events beside one of ten thousand, on one
 * embedded server. Without a socket, as the other reads: it would add the same to both.
 */
export async function runEconomics(options: {
	scope: Scope;
	say(line: string): void;
	/** Numbers of events; smaller ones show that the measurement works. */
	sizes?: { small: number; large: number };
}): Promise<EconomicsReads> {
	const { scope, say, sizes = SIZES } = options;
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const small = await openLedger(scope, { server, name: "small", events: sizes.small });
	const large = await openLedger(scope, { server, name: "large", events: sizes.large });
	say(`filled ledgers of ${sizes.small} and ${sizes.large} events`);
	const compare = async (name: string, asksOf: (db: Database) => Ask) => {
		const asks = { small: asksOf(small.db), large: asksOf(large.db) };
		const [compared] = await compareReads(asks, [{ name, of: () => PATH }], CALLS);
		if (!compared) throw new Error("one path is read");
		return compared;
	};
	const fresh = await compare("fresh", (db) => asking(db, NEXT_READ_MS));
	const served = await compare("served", (db) => asking(db, 0));
	await small.close();
	await large.close();
	await stopServer();
	await data.remove();
	return { served, fresh, events: sizes };
}

async function openLedger(
	scope: Scope,
	given: { server: { connectionString: string }; name: string; events: number },
): Promise<{ db: Database; close(): Promise<void> }> {
	const { server, name, events } = given;
	const admin = new Client({ connectionString: server.connectionString });
	await admin.connect();
	await admin.query(`create database ${name}`);
	await admin.end();
	// Not by `URL`: it refuses the form without a host that stands for a socket.
	const connectionString = server.connectionString.replace(/(\/\/[^/]*\/)[^?]*/, `$1${name}`);
	await migrate(connectionString, MIGRATIONS, silentLog);
	const db = openDatabase({
		...{ connectionString, connectionsMax: CONNECTIONS_MAX, log: silentLog },
		applicationName: "tapeline bench",
	});
	await fillLedger(db, { events, nowMs: NOW_MS });
	return { db, close: scope.defer(() => db.close()) };
}

/**
 * Opens the route over a database. Its clock advances by `stepMs` with each request; 0: with real
 * time.
 */
function asking(db: Database, stepMs: number): Ask {
	let steps = 0;
	const beganMs = performance.now();
	const clock = {
		nowMs: () => NOW_MS + (stepMs === 0 ? performance.now() - beganMs : steps * stepMs),
	};
	const config = z.object({ ...tokenomicsConfig, ...buybackConfig }).parse({
		...{ TOKEN_ADDRESS: FILLED.token, REVENUE_ROUTER_ADDRESS: FILLED.router },
		...{ BUYBACK_BURN_ADDRESS: FILLED.burner, BUYBACK_ENABLED: true },
	});
	const chains = createChainRegistry(builtinChains);
	const contracts = createContracts({ core: { chains, reached: [], db }, config });
	const execution = { held: async () => [] };
	const { economics } = createEconomics({
		...{ db, clock, contracts },
		buybackStatus: () => readStatus({ db, execution, chainId: FILLED_CHAIN_ID }, config),
	});
	const app = new Elysia().use(economicsRoutes({ economics }));
	return async (path) => {
		steps += 1;
		const response = await app.handle(new Request(`http://localhost${path}`));
		const body = await response.text();
		if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`);
		return body;
	};
}
