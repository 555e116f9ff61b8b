import { z } from "zod";
import type { Clock } from "#core/clock/Clock.ts";
import { createLog } from "#core/log/createLog.ts";
import { startTestService } from "#test/harness/startTestService.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

/** The service as a round uses it: one in this process, or one that dies now and then. */
export type LiveService = {
	/** One request, with the whole answer read. */
	ask(path: string, init: RequestInit): Promise<{ status: number; text: string }>;
	/** The jobs that move money have their turn, by the clock as it stands. */
	tick(): Promise<void>;
	/** How often it may die from now on, where it can. */
	mayDie(deaths: number): void;
	stop(): Promise<void>;
};

export type LiveServiceOptions = {
	env: Record<string, string>;
	nodeUrl: string;
	clock: Clock & { offsetMs: number };
	database: TestDatabase;
};

const JOB_TIMEOUT_MS = 30_000;
/** What runs each second moves money; the rest cleans up. */
const SECOND_MS = 1_000;
const level = z.enum(["debug", "info", "warn"]).safeParse(process.env["LIVENESS_LOG_LEVEL"]);

export async function startLiveService(options: LiveServiceOptions): Promise<LiveService> {
	const { env, nodeUrl, clock, database } = options;
	const to = { write: (line: string) => void process.stderr.write(line) };
	const service = await startTestService({
		...{ env, clock, database, chain: { url: nodeUrl } },
		...(level.success && { log: createLog({ level: level.data, clock, to }) }),
	});
	const jobs = service.host.jobs.filter(({ name, schedule }) => {
		return name.startsWith("wallets.") && "everyMs" in schedule && schedule.everyMs === SECOND_MS;
	});
	return {
		async ask(path, init) {
			const response = await fetch(`${service.url}${path}`, init);
			return { status: response.status, text: await response.text() };
		},
		async tick() {
			const signal = AbortSignal.timeout(JOB_TIMEOUT_MS);
			for (const job of jobs) await job.run({ signal });
		},
		mayDie() {},
		stop: () => service.stop(),
	};
}
