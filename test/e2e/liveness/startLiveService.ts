import { z } from "zod";
import type { Clock } from "#core/clock/Clock.ts";
import { createLog } from "#core/log/createLog.ts";
import { SECOND_MS } from "#core/time/units.ts";
import { startTestService } from "#test/harness/startTestService.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

/** The service as a round uses it: one in this process, or one that dies at random. */
export type LiveService = {
	/** Sends one request and reads the whole answer. */
	ask(path: string, init: RequestInit): Promise<{ status: number; text: string }>;
	/** Runs the jobs that move money once, by the clock as it is. */
	tick(): Promise<void>;
	/** Sets how often it may die from now on, where it can. */
	mayDie(deaths: number): void;
	stop(): Promise<void>;
};

export type LiveServiceOptions = {
	/** Its environment, which also names its nodes. */
	env: Record<string, string>;
	clock: Clock & { offsetMs: number };
	database: TestDatabase;
};

const level = z.enum(["debug", "info", "warn"]).safeParse(process.env["LIVENESS_LOG_LEVEL"]);

export async function startLiveService(options: LiveServiceOptions): Promise<LiveService> {
	const { env, clock, database } = options;
	const to = { write: (line: string) => void process.stderr.write(line) };
	const service = await startTestService({
		...{ env, clock, database },
		...(level.success && { log: createLog({ level: level.data, clock, to }) }),
	});
	const jobs = service.host.jobs.filter(({ name, schedule }) => {
		// The jobs that move money run every second; all other jobs of wallets only clean up.
		return name.startsWith("wallets.") && "everyMs" in schedule && schedule.everyMs === SECOND_MS;
	});
	return {
		async ask(path, init) {
			const response = await fetch(`${service.url}${path}`, init);
			return { status: response.status, text: await response.text() };
		},
		async tick() {
			const signal = AbortSignal.timeout(WAIT_LIMIT_MS);
			for (const job of jobs) await job.run({ signal });
		},
		mayDie() {},
		stop: () => service.stop(),
	};
}
