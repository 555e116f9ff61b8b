import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log/silentLog.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { FillOptions } from "#test/bench/fill/FillOptions.ts";
import { indexSizes } from "#test/bench/fill/indexSizes.ts";
import { compareReads, type ReadComparison } from "#test/bench/measure/compareReads.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { openFilled } from "#test/bench/measure/openFilled.ts";
import { readPaths } from "#test/bench/measure/readPaths.ts";

export type ReadsOptions = {
	scope: Scope;
	calls?: number;
	/** Smaller sizes, to test the bench itself. */
	sizes?: { small: FillOptions; large: FillOptions };
	say(line: string): void;
	/** Measures more on the large index, after the reads and before it is removed. */
	afterwards?(large: { socketDir: string; database: string; nowMs: number }): Promise<void>;
};

const LARGE = "large";
const CALLS = 300;
/** How much more often a fast read is called. */
const QUICK_TIMES = 5;

/**
 * Measures reads of an index of 10 million events, a million of them of the last 24 hours, beside
 * one of a hundredth of that, on one embedded server with its usual settings. Takes a few minutes
 * and 7 GB.
 */
export async function runReads(options: ReadsOptions): Promise<ReadComparison[]> {
	const { scope, calls = CALLS, sizes = indexSizes, say } = options;
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const small = await openFilled(scope, { server, name: "small", fill: sizes.small, say });
	const large = await openFilled(scope, { server, name: LARGE, fill: sizes.large, say });
	say("reading");
	const asks = { small: small.ask, large: large.ask };
	const often = { callsMin: calls, callsMax: QUICK_TIMES * calls };
	const compared = await compareReads(asks, readPaths, often);
	await small.close();
	await large.close();
	const { socketDir } = data;
	await options.afterwards?.({ socketDir, database: LARGE, nowMs: sizes.large.nowMs });
	await stopServer();
	await data.remove();
	return compared;
}
