// Lists the other programs that are measured, and how each is run.

import { join } from "node:path";
import { SEAPORT } from "#test/bench/chain/workload.ts";
import type { ChainFacts } from "#test/bench/peers/measureIndexer.ts";
import type { PeerCommand } from "#test/bench/peers/startPeerProcess.ts";

/** What a peer's process gets. */
export type PeerWorld = {
	/** The folder of its packages and project files. */
	folder: string;
	rpcUrl: string;
	socketDir: string;
	database: string;
	chain: ChainFacts;
};

/** Another program, measured as we are. */
export type Peer = {
	/** Its name in `--only`. */
	name: string;
	/** Its title in the table, with its version. */
	title: string;
	/** Its folder below `projects`. */
	project: string;
	/** True where it ends in time beside a provider that allows 100 calls a second. */
	canBeMetered?: true;
	/** Runs before the clock starts: generates code. */
	build?: (world: PeerWorld) => PeerCommand;
	command: (world: PeerWorld) => PeerCommand;
	/** Returns one row with `done`: everything is stored. `$1` is the newest block, `$2` all rows. */
	doneSql: string;
	/** Returns one row of sums, each named as in `ChainFigures`. */
	figuresSql: string;
};

/** Names of a peer's tables; null where it keeps no figures. All have the same columns. */
export type PeerTables = { event: string; collection: string | null; candle: string | null };

const ROWS_DONE = (collection: string) =>
	`select coalesce(sum(mints + sales), 0) >= $2::bigint and $1::bigint > 0 as done
	from ${collection}`;
const HEIGHT_DONE = "select height >= $1::bigint and $2::bigint > 0 as done from bench.progress";

const inBench = { event: "bench.event", collection: "bench.collection", candle: "bench.candle" };
const ofEnvio = {
	event: 'public."MarketEvent"',
	collection: 'public."Collection"',
	candle: 'public."Candle"',
};

/** Ponder gives each endpoint its own limit of requests, which begins low. */
const ENDPOINTS_LIFTED = 10;

/** The other programs, in the order in which they run. */
export const peerList: readonly Peer[] = [
	{
		name: "subsquid",
		title: "Subsquid evm-processor 1.27.3",
		project: "subsquid",
		canBeMetered: true,
		command: (world) => subsquid(world, "yes"),
		doneSql: HEIGHT_DONE,
		figuresSql: figuresSql(inBench),
	},
	{
		name: "subsquid-inserts",
		title: "the same, inserts only",
		project: "subsquid",
		canBeMetered: true,
		command: (world) => subsquid(world, "no"),
		doneSql: HEIGHT_DONE,
		figuresSql: figuresSql({ ...inBench, collection: null, candle: null }),
	},
	{
		name: "ponder",
		title: "Ponder 0.17.7, ten endpoints",
		project: "ponder",
		command: (world) => ponder(world, ENDPOINTS_LIFTED),
		doneSql: ROWS_DONE(inBench.collection),
		figuresSql: figuresSql(inBench),
	},
	{
		name: "ponder-default",
		title: "Ponder 0.17.7, one endpoint",
		project: "ponder",
		command: (world) => ponder(world, 1),
		doneSql: ROWS_DONE(inBench.collection),
		figuresSql: figuresSql(inBench),
	},
	{
		name: "envio",
		title: "Envio 2.32.12, by RPC",
		project: "envio",
		build: (world) => ({ ...envio(world), args: [inBin(world, "envio"), "codegen"] }),
		command: envio,
		doneSql: ROWS_DONE(ofEnvio.collection),
		figuresSql: figuresSql(ofEnvio),
	},
];

/**
 * Returns the statement that adds up what a peer has stored, in columns named as `ChainFigures`;
 * where a peer stores something twice (events and figures) the second has its name with `counted`.
 */
export function figuresSql({ event, collection, candle }: PeerTables): string {
	const sums = [
		`(select count(*) from ${event} where kind = 'mint') as mints`,
		`(select sum(quantity) from ${event} where kind = 'mint') as units`,
		`(select sum(wei) from (select distinct tx, wei from ${event} where kind = 'mint') as one) as paid`,
		`(select count(*) from ${event} where kind = 'sale') as sales`,
		`(select sum(wei) from ${event} where kind = 'sale') as volume`,
	];
	if (collection !== null) {
		sums.push(
			...["mints", "units", "paid", "sales", "volume"].map(
				(name) => `(select sum(${name}) from ${collection}) as counted_${name}`,
			),
			`(select count(*) from ${collection}) as collections`,
		);
	}
	if (candle !== null) {
		sums.push(
			`(select count(*) from ${candle}) as candles`,
			`(select sum(sales) from ${candle}) as counted_in_candles_sales`,
			`(select sum(volume) from ${candle}) as counted_in_candles_volume`,
			...["opened", "highest", "lowest", "closed"].map(
				(name) => `(select sum(${name}) from ${candle}) as ${name}`,
			),
		);
	}
	return `select ${sums.join(", ")}`;
}

function subsquid(world: PeerWorld, figures: "yes" | "no"): PeerCommand {
	return {
		args: [inBin(world, "node"), "main.mjs"],
		cwd: world.folder,
		env: {
			BENCH_RPC_URL: world.rpcUrl,
			BENCH_SEAPORT: SEAPORT,
			BENCH_FIGURES: figures,
			DATABASE_URL: urlOf(world),
		},
	};
}

function inBin({ folder }: PeerWorld, name: string): string {
	return join(folder, "node_modules/.bin", name);
}

/** Returns a socket's URL as node-postgres reads it; its other form is not known to all. */
function urlOf({ socketDir, database }: PeerWorld): string {
	return `postgresql://tapeline@/${database}?host=${encodeURIComponent(socketDir)}&port=5432`;
}

function ponder(world: PeerWorld, endpoints: number): PeerCommand {
	const main = join(world.folder, "node_modules/ponder/dist/esm/bin/ponder.js");
	const options = ["--schema", "bench", "--port", "0", "--hostname", "127.0.0.1"];
	return {
		args: [inBin(world, "node"), main, "--log-level", "warn", "start", ...options],
		cwd: world.folder,
		env: {
			BENCH_RPC_URL: world.rpcUrl,
			BENCH_ENDPOINTS: String(endpoints),
			BENCH_SEAPORT: SEAPORT,
			DATABASE_URL: urlOf(world),
			PONDER_TELEMETRY_DISABLED: "true",
		},
	};
}

function envio(world: PeerWorld): PeerCommand {
	return {
		args: [inBin(world, "node"), "generated/src/Index.res.js"],
		cwd: join(world.folder, "indexer"),
		env: {
			// The generated code calls npm's commands by their names.
			PATH: `${join(world.folder, "node_modules/.bin")}:${process.env.PATH}`,
			BENCH_RPC_URL: world.rpcUrl,
			BENCH_TOKENS: JSON.stringify(world.chain.tokens),
			BENCH_EDITIONS: JSON.stringify(world.chain.editions),
			BENCH_SEAPORT: JSON.stringify([SEAPORT]),
			ENVIO_PG_HOST: world.socketDir,
			ENVIO_PG_PORT: "5432",
			ENVIO_PG_USER: "tapeline",
			ENVIO_PG_PASSWORD: "none",
			ENVIO_PG_DATABASE: world.database,
			ENVIO_HASURA: "false",
			TUI_OFF: "true",
			LOG_LEVEL: "warn",
		},
	};
}
