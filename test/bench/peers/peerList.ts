import { join } from "node:path";
import { SEAPORT } from "#test/bench/chain/createEmitters.ts";
import { figuresSql } from "#test/bench/peers/figuresSql.ts";
import type { Peer, PeerCommand, PeerWorld } from "#test/bench/peers/Peer.ts";

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
		command: (world) => subsquid(world, "yes"),
		doneSql: HEIGHT_DONE,
		figuresSql: figuresSql(inBench),
	},
	{
		name: "subsquid-inserts",
		title: "the same, inserts only",
		project: "subsquid",
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

function inBin({ folder }: PeerWorld, name: string): string {
	return join(folder, "node_modules/.bin", name);
}

/** Returns a socket's URL as node-postgres reads it; its other form is not known to all. */
function urlOf({ socketDir, database }: PeerWorld): string {
	return `postgresql://tapeline@/${database}?host=${encodeURIComponent(socketDir)}&port=5432`;
}
