// Starts the service for rounds, also in a process that is killed at random.

import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { createLog } from "#core/log.ts";
import { SECOND_MS } from "#core/time.ts";
import {
	type Killable,
	type KillableBundle,
	startKillable,
} from "#test/e2e/kills/startKillable.ts";
import { startTestService } from "#test/harness/startTestService.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";

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

export type MortalService = LiveService & { deaths(): number };

const level = z.enum(["debug", "info", "warn"]).safeParse(process.env["LIVENESS_LOG_LEVEL"]);

/** Longer than the lease of a dead process. */
const BETWEEN_LIVES_MS = 20_000;
/** One in so many requests or turns of the jobs ends in a death. */
const DEATH_IN = 12;
/** It dies within this time: in the middle of most requests, or of a turn of its jobs. */
const DIES_WITHIN_MS = 60;
const ATTEMPTS_MAX = 200;
const ASK_AGAIN_MS = 25;

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

/**
 * Starts the service in a process of its own, which is killed (SIGKILL) at random moments while it
 * may die, and is replaced by another one. A request that died with it is sent again.
 */
export async function startMortalService(
	options: LiveServiceOptions & { bundle: KillableBundle; random: Prng },
): Promise<MortalService> {
	const { bundle, clock, random } = options;
	const start = () => startKillable(bundle.entry, envOf(options));
	let service: Killable = await start();
	let next: Promise<void> | null = null;
	let deathsLeft = 0;
	let isDying = false;
	let deaths = 0;

	async function living(): Promise<Killable> {
		if (service.isAlive()) return service;
		next ??= revive().finally(() => {
			next = null;
		});
		await next;
		return service;
	}

	async function revive(): Promise<void> {
		clock.offsetMs += BETWEEN_LIVES_MS;
		service = await start();
	}

	function tempt(): void {
		if (deathsLeft === 0 || isDying || random.int(DEATH_IN) > 0) return;
		isDying = true;
		deathsLeft--;
		const victim = service;
		setTimeout(() => {
			deaths++;
			void victim.stop().finally(() => {
				isDying = false;
			});
		}, random.int(DIES_WITHIN_MS));
	}

	return {
		async ask(path, init) {
			for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
				const asked = await living();
				tempt();
				const answer = await fetch(`${asked.url}${path}`, init).then(
					async (response) => ({ status: response.status, text: await response.text() }),
					() => null,
				);
				// 409 only until the database has noticed that the process that held the key is gone.
				const isHeld = answer?.status === 409 && answer.text.includes("request_running");
				if (answer && !isHeld) return answer;
				await Bun.sleep(ASK_AGAIN_MS);
			}
			throw new Error("a request is under way for ever");
		},
		async tick() {
			const asked = await living();
			tempt();
			// If it dies in a turn, the rest is left to the next process.
			await asked.tick(clock.offsetMs).catch(() => {});
		},
		mayDie(times) {
			deathsLeft = times;
		},
		deaths: () => deaths,
		stop: () => service.stop(),
	};
}

function envOf({
	env,
	clock,
	database,
	bundle,
}: LiveServiceOptions & {
	bundle: KillableBundle;
}): Record<string, string> {
	return {
		KILLABLE_CLOCK_OFFSET_MS: String(clock.offsetMs),
		DATABASE_URL: database.connectionString,
		PORT: "0",
		CHAINS: "anvil",
		LOG_LEVEL: process.env["LIVENESS_LOG_LEVEL"] ?? "silent",
		FOREIGN_FETCH_ENABLED: "false",
		...env,
		PLUGINS: bundle.plugins.join(","),
	};
}
