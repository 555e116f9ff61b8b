import { type Service, startService } from "#api/service/startService.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { createStatusWatch } from "#core/http/testing/createStatusWatch.ts";
import { lazily } from "#core/http/testing/lazily.ts";
import type { Log } from "#core/log/Log.ts";
import { silentLog } from "#core/log/silentLog.ts";
import type { StepObserver } from "#core/steps/Steps.ts";
import { createAnswerCheck } from "#test/harness/document/createAnswerCheck.ts";
import { documentsOf } from "#test/harness/document/documentsOf.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

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
	clock?: Clock;
	/** Called before and after each step of the execution path. */
	observeSteps?: StepObserver;
	/** Continues with the data of an earlier service. */
	database?: TestDatabase;
};

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
		...(options.clock && { clock: options.clock }),
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
