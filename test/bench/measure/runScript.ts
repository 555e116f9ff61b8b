// Runs measurements that need a process of their own, and reads their JSON line.

import { join } from "node:path";
import { z } from "zod";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { MIGRATIONS } from "#test/bench/fill/fillIndex.ts";
import { openDataDir, type Scope } from "#test/bench/measure/startServiceProcess.ts";
import { median } from "#test/bench/statistics.ts";

export type MetadataBurst = {
	tokensPerSecond: number;
	/** The bare script, which fetches and writes the same documents. */
	barePerSecond: number;
	seconds: number;
	/** Of the process that reads, its runtime included. */
	peakMb: number;
	idleMb: number;
};

export type Ranking = {
	service: RankingTimes;
	bare: RankingTimes;
	/** Of the process that ranks, its runtime and the tokens included. */
	peakMb: number;
	idleMb: number;
	turns: number;
};

export type RankingTimes = { p50Ms: number; leastMs: number; worstMs: number };

/** A script that takes longer is ended: only its figure is missing then. */
const SCRIPT_TIMEOUT_MS = 90_000;

const delays = z.array(z.number().positive()).min(1);
const told = z.object({
	/** For so many open bridges: a turn, and the longest that one of them waited for its own. */
	polls: z.object({ open: z.int(), turnMs: z.number(), slowestMs: z.number() }),
	/** From a webhook's post to the record's end. */
	webhookMs: delays,
	/** From a command to its stored quote, and the provider's own part of that. */
	commandMs: delays,
	providerMs: delays,
});

export type BridgeTimes = z.output<typeof told>;

const rated = z.object({
	texts: z.int().min(1),
	/** Texts a second of the processor, round by round. */
	rates: z.array(z.number().positive()).min(1),
});

const commandRatesSchema = z.object({
	/** Commands as they are printed. */
	commands: rated,
	/** Texts as traders type them. */
	typed: rated,
	/** The slowest of so many texts that no command reads; `begins` is how it begins. */
	unread: z.object({ texts: z.int().min(1), ms: z.number().positive(), begins: z.string() }),
});

export type CommandRates = z.output<typeof commandRatesSchema>;

export const BURST_TOKENS = 10_000;

const readSchema = z.object({
	seconds: z.number().positive(),
	peakMb: z.number().positive(),
	idleMb: z.number().positive(),
});

/** Processes of each, one after the other. */
const ROUNDS = 3;

const rankingSchema = z.object({
	timesMs: z.array(z.number().positive()).min(1),
	idleMb: z.number().positive(),
	peakMb: z.number().positive(),
});

/** Runs a script in a process of its own until it ends, and reads the JSON line that it prints. */
export async function runScript<Told>(
	scope: Scope,
	options: { script: string; args: readonly string[]; told: z.ZodType<Told> },
): Promise<Told> {
	const script = join(import.meta.dir, "..", options.script);
	const child = Bun.spawn([process.execPath, script, ...options.args], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
		timeout: SCRIPT_TIMEOUT_MS,
	});
	const stop = scope.defer(async () => {
		child.kill("SIGKILL");
		await child.exited;
	});
	const line = await new Response(child.stdout).text();
	await stop();
	return options.told.parse(JSON.parse(line));
}

/** Measures bridges between two chains of this machine, in a process of its own. */
export function runBridges({ scope }: { scope: Scope }): Promise<BridgeTimes> {
	return runScript(scope, { script: "measure/bridgeTurns.ts", args: [], told });
}

/** Reads the commands of all built-in plugins, in a process of its own. */
export function runCommands({ scope }: { scope: Scope }): Promise<CommandRates> {
	return runScript(scope, {
		script: "measure/commandTurns.ts",
		args: [],
		told: commandRatesSchema,
	});
}

/**
 * Measures a collection's tokens from their URIs to their ranks, in a process of its own. Documents
 * come over HTTP from a gateway in this one; only the chain is in memory there, since otherwise a
 * node of the bench would be measured.
 */
export async function runMetadataBurst({ scope }: { scope: Scope }): Promise<MetadataBurst> {
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const { connectionString } = server;
	await migrate(connectionString, MIGRATIONS, silentLog);
	const gateway = startGateway();
	const stopGateway = scope.defer(gateway.stop);
	const { seconds, peakMb, idleMb } = await runScript(scope, {
		script: "measure/tokenBurst.ts",
		args: [connectionString, gateway.url, String(BURST_TOKENS)],
		told: readSchema,
	});
	await assertAll(connectionString);
	const bare = await runScript(scope, {
		script: "reference/bareBurst.ts",
		args: [connectionString, gateway.url, String(BURST_TOKENS)],
		told: readSchema.pick({ seconds: true }),
	});
	await stopGateway();
	await stopServer();
	await data.remove();
	return {
		tokensPerSecond: BURST_TOKENS / seconds,
		barePerSecond: BURST_TOKENS / bare.seconds,
		seconds,
		peakMb,
		idleMb,
	};
}

/** Ranks a collection as it comes from the database, beside a bare script, in turn. */
export async function runRanking({ scope }: { scope: Scope }): Promise<Ranking> {
	const script = "measure/rankingTurns.ts";
	const service: z.output<typeof rankingSchema>[] = [];
	const bare: z.output<typeof rankingSchema>[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		service.push(await runScript(scope, { script, args: ["service"], told: rankingSchema }));
		bare.push(await runScript(scope, { script, args: ["bare"], told: rankingSchema }));
	}
	return {
		service: timesOf(service.flatMap(({ timesMs }) => timesMs)),
		bare: timesOf(bare.flatMap(({ timesMs }) => timesMs)),
		peakMb: Math.max(...service.map(({ peakMb }) => peakMb)),
		idleMb: Math.max(...service.map(({ idleMb }) => idleMb)),
		turns: service.flatMap(({ timesMs }) => timesMs).length,
	};
}

function startGateway() {
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch({ url }) {
			const token = Number(url.slice(url.lastIndexOf("/") + 1));
			return Response.json(documentOf(token));
		},
	});
	return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

/** Returns a document about as long as those of real collections. */
function documentOf(token: number) {
	return {
		name: `Cat #${token}`,
		description: "One of ten thousand cats that nobody can tell apart. ".repeat(10),
		image: `ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/${token}.png`,
		attributes: Array.from({ length: 10 }, (_, trait) => ({
			trait_type: `Trait ${trait}`,
			value: `Value ${(Math.imul(token, 2_654_435_761) >>> (trait + 4)) % (5 + trait * 10)}`,
		})),
	};
}

/** Throws unless every token was read and ranked. */
async function assertAll(connectionString: string): Promise<void> {
	const db = openDatabase({
		connectionString,
		connectionsMax: 1,
		applicationName: "tapeline bench",
		log: silentLog,
	});
	const [row] = await db.query<{ read: number; ranked: number }>(
		`select (count(*) filter (where source = 'chain'))::int4 as read, count(rank)::int4 as ranked
		from market_index.token`,
	);
	await db.close();
	if (row?.read !== BURST_TOKENS || row.ranked !== BURST_TOKENS) {
		throw new Error(`the burst left tokens out: ${JSON.stringify(row)}`);
	}
}

function timesOf(timesMs: readonly number[]): RankingTimes {
	return { p50Ms: median(timesMs), leastMs: Math.min(...timesMs), worstMs: Math.max(...timesMs) };
}
