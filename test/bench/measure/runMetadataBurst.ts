import { z } from "zod";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log/silentLog.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { MIGRATIONS } from "#test/bench/fill/migrations.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { runScript } from "#test/bench/measure/runScript.ts";

export type MetadataBurst = {
	tokensPerSecond: number;
	/** The bare script, which fetches and writes the same documents. */
	barePerSecond: number;
	seconds: number;
	/** Of the process that reads, its runtime included. */
	peakMb: number;
	idleMb: number;
};

export const BURST_TOKENS = 10_000;

const readSchema = z.object({
	seconds: z.number().positive(),
	peakMb: z.number().positive(),
	idleMb: z.number().positive(),
});

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
