// Starts the whole service in this process, and listens to its stream.

import { type Service, startService } from "#api/service/startService.ts";
import type { Clock } from "#core/clock.ts";
import { createStatusWatch } from "#core/http/testing/createStatusWatch.ts";
import { lazily } from "#core/http/testing/lazily.ts";
import { type Log, silentLog } from "#core/log.ts";
import type { Job } from "#core/schedule.ts";
import type { StepObserver } from "#core/steps.ts";
import { streamRoutes } from "#plugins/streams/routes.ts";
import { createAnswerCheck, createFrameCheck, documentsOf } from "#test/harness/documentChecks.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

export type TestStream = {
	/** Every frame so far, parsed, in order of arrival. */
	frames: any[];
	/** Returns the first matching frame, received already or later. */
	next(fits: (frame: any) => boolean): Promise<any>;
	/** Returns the first `count` matching frames. */
	take(count: number, fits: (frame: any) => boolean): Promise<any[]>;
	close(): void;
};

export type TestService = Service & {
	database: TestDatabase;
	/**
	 * Sends a GET and parses the answer. Each call comes from another client address, so no test
	 * reaches the limit. An answer that does not fit the OpenAPI document fails the test.
	 */
	get<Body = any>(path: string): Promise<{ status: number; body: Body; headers: Headers }>;
	/** Also fails if any answer had a status that the document does not name. */
	stop(): Promise<void>;
	/** Waits until both lanes have indexed a block. */
	indexed(block: number): Promise<void>;
};

export type TestServiceOptions = {
	chain?: { url: string; wsUrl?: string };
	/** The block to scan from; null starts at the head. */
	scanFrom?: number | null;
	env?: Record<string, string>;
	log?: Log;
	/** Moves time itself, for the service and as it asks the database. */
	clock?: Clock;
	/** The machine's clock, which may be wrong while time goes on. */
	machineClock?: Clock;
	/** Called before and after each step of the execution path. */
	observeSteps?: StepObserver;
	/** Continues with the data of an earlier service. */
	database?: TestDatabase;
};

const heldRuns = new WeakMap<Job, Job["run"]>();

/** Checks frames against the AsyncAPI document, which is built from the routes without a server. */
const frameCheck = lazily(() =>
	createFrameCheck(documentsOf([streamRoutes({} as never)]).asyncApi),
);

const ASK_EVERY_MS = 10;

/** Starts the whole service in this process, on a database and a port of its own. */
export async function startTestService(options: TestServiceOptions): Promise<TestService> {
	const { chain, scanFrom = 0 } = options;
	const database = options.database ?? (await createTestDatabase());
	const urls = chain ? [chain.url, ...(chain.wsUrl ? [chain.wsUrl] : [])] : ["http://127.0.0.1:1"];
	const env = {
		DATABASE_URL: database.connectionString,
		PORT: "0",
		CHAINS: "anvil",
		CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: urls }),
		RPC_POLL_MS: "50",
		LOG_LEVEL: "silent",
		// URLs in a test's tokens are not fetched.
		FOREIGN_FETCH_ENABLED: "false",
		// Walks would report mints that a test's lanes should not see.
		NFT_OWNERSHIP_WALKS_MAX: "0",
		...(scanFrom === null ? {} : { NFT_SCAN_FROM_BLOCK: String(scanFrom) }),
		...options.env,
	};
	const statuses = createStatusWatch(options.log ?? silentLog);
	const service = await startService({
		env,
		log: statuses.log,
		...(options.clock && { time: options.clock }),
		...(options.machineClock && { clock: options.machineClock }),
		...(options.observeSteps && { observeSteps: options.observeSteps }),
	});
	let client = 0;
	const openApi = lazily(() => documentsOf(service.host.routes).openApi);
	const answerCheck = lazily(() => createAnswerCheck(openApi()));
	return {
		...service,
		database,
		async stop() {
			await service.stop();
			const undocumented = statuses.undocumented(openApi);
			if (undocumented.length > 0) {
				throw new Error(`answers that the OpenAPI document does not name: ${undocumented}`);
			}
		},
		async get(path) {
			client++;
			const address = `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`;
			const response = await fetch(`${service.url}${path}`, {
				headers: { "x-forwarded-for": address },
			});
			const { status, headers } = response;
			const body = JSON.parse(await response.text());
			const contentType = headers.get("content-type");
			const wrong = answerCheck()({ method: "GET", path, status, contentType, body });
			if (wrong !== undefined) throw new Error(wrong);
			return { status, body, headers };
		},
		async indexed(block) {
			const giveUpAt = performance.now() + WAIT_LIMIT_MS;
			while (performance.now() < giveUpAt) {
				const rows = await service.core.db.query<{ low: number | null; lanes: number }>(
					`select min(block_number) as low, count(*)::int as lanes
					from chain_scanner.cursor where lane in ('mint', 'sale')`,
				);
				const [row] = rows;
				if (row && row.lanes === 2 && Number(row.low) >= block) return;
				await Bun.sleep(ASK_EVERY_MS);
			}
			throw new Error(`block ${block} was not indexed within ${WAIT_LIMIT_MS} ms`);
		},
	};
}

/** Stops jobs of these names from running on schedule; `runHeld` still runs them. */
export function holdJobs(jobs: readonly Job[], names: readonly string[]): void {
	for (const job of jobs) {
		if (!names.includes(job.name)) continue;
		heldRuns.set(job, job.run.bind(job));
		job.run = async () => {};
	}
}

/** Runs a job once, now, held or not. */
export async function runHeld(job: Job): Promise<void> {
	const run = heldRuns.get(job) ?? job.run.bind(job);
	await run({ signal: AbortSignal.timeout(job.timeoutMs) });
}

/**
 * Opens a WebSocket client that stores its frames. A frame that does not fit the AsyncAPI document
 * fails the test that waits for a frame.
 *
 * It resolves after the server's greeting: changes committed between the upgrade and the greeting
 * are never sent to this client.
 */
export async function openStream(url: string): Promise<TestStream> {
	const frames: any[] = [];
	const waiting = new Set<() => void>();
	const socket = new WebSocket(url);
	const wrong: string[] = [];
	socket.onmessage = (event) => {
		const frame = JSON.parse(String(event.data));
		wrong.push(...[frameCheck()(new URL(url).pathname, frame) ?? []].flat());
		frames.push(frame);
		for (const look of waiting) look();
	};
	await new Promise<void>((resolve, reject) => {
		const look = () => {
			if (!frames.some(({ type }) => type === "hello")) return;
			waiting.delete(look);
			resolve();
		};
		waiting.add(look);
		socket.onerror = () => reject(new Error(`${url} did not open`));
		socket.onclose = (event) => reject(new Error(`${url} closed with ${event.code}`));
	});
	const take = (count: number, fits: (frame: any) => boolean) =>
		new Promise<any[]>((resolve, reject) => {
			const timer = setTimeout(() => {
				waiting.delete(look);
				const types = frames.map((frame) => frame.type).join(" ");
				reject(new Error(`waited for ${count} frames; got: ${types}`));
			}, WAIT_LIMIT_MS);
			const look = () => {
				const found = frames.filter(fits);
				if (found.length < count && wrong.length === 0) return;
				clearTimeout(timer);
				waiting.delete(look);
				if (wrong.length > 0) reject(new Error(wrong.join("\n")));
				else resolve(found.slice(0, count));
			};
			waiting.add(look);
			look();
		});
	return {
		frames,
		take,
		next: async (fits) => (await take(1, fits))[0],
		close: () => socket.close(),
	};
}
