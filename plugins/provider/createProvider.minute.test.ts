import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { databaseBudget } from "#core/budget/databaseBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { systemClock } from "#core/clock/systemClock.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import { DAY_MS } from "#core/time/units.ts";
import type { ProviderPurpose } from "#plugins/provider/contract.ts";
import { createProvider } from "#plugins/provider/createProvider.ts";
import { offStream } from "#plugins/provider/offStream.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whatever is asked for in however many processes, the provider's server sees at most
// 120 calls in any minute, 250 ms apart from each process, and each purpose has its share of them.

/** A minute, less the time that statements may take: that is the database's. */
const SPAN_MS = 55_000;

type Sent = { process: string; atMs: number };

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
beforeEach(() => database.db.execute("truncate core.budget"));
afterAll(() => database.drop());

/**
 * Opens processes on one database without Redis, whose clocks are a day apart, and the server that
 * they call. Time passes only where a process waits, for all of them and the database.
 */
function deployment(processes: number) {
	const time = { aheadMs: 0 };
	const beganMs = systemClock.nowMs();
	const sent: Sent[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			const process = request.headers.get("x-process") ?? "";
			sent.push({ process, atMs: time.aheadMs });
			return Response.json({ results: [], collections: [] });
		},
	});
	const { db } = database;
	const providers = Array.from({ length: processes }, (_, process) => {
		const clock = { nowMs: () => 1_000_000_000_000 + process * DAY_MS + time.aheadMs };
		const aheadMs = () => Math.round(beganMs + time.aheadMs - systemClock.nowMs());
		return createProvider({
			core: {
				clock,
				log: silentLog,
				metrics: createMetrics(),
				budget: databaseBudget({ db, clock, log: silentLog, aheadMs, timeoutMs: 30_000 }),
				chains: createChainRegistry(builtinChains),
			},
			baseUrl: `http://127.0.0.1:${server.port}`,
			stream: offStream,
			fetch: Object.assign(
				(url: Parameters<typeof fetch>[0], init?: RequestInit) => {
					const headers = new Headers(init?.headers);
					headers.set("x-process", String(process));
					return fetch(url, { ...init, headers });
				},
				{ preconnect: fetch.preconnect },
			),
			wait: async (ms) => {
				time.aheadMs += ms;
			},
		});
	});
	return { time, sent, providers, [Symbol.dispose]: () => void server.stop(true) };
}

type Deployment = ReturnType<typeof deployment>;

/**
 * Sends calls of a purpose from the processes in turn, until one is refused; returns how many were
 * sent.
 */
async function untilRefused({ providers }: Deployment, purpose: ProviderPurpose): Promise<number> {
	for (let calls = 0; ; calls++) {
		const provider = providers[calls % providers.length];
		const refused = await provider?.top({ purpose }).then(
			() => null,
			(fault) => fault,
		);
		if (!refused) continue;
		expect(refused).toMatchObject({ code: "rate_limited", meta: { refusedBy: "pace" } });
		return calls;
	}
}

/** Returns the most calls in any such span. */
function busiestSpan(sent: readonly Sent[]): number {
	return Math.max(
		...sent.map(({ atMs: from }) => {
			return sent.filter(({ atMs }) => atMs >= from && atMs < from + SPAN_MS).length;
		}),
	);
}

test("[MRG-08] processes on one database without Redis share the minute: 120 calls in any span of it", async () => {
	using run = deployment(3);
	const { time, sent } = run;
	for (let minute = 0; minute < 6; minute++) {
		for (const purpose of ["endless", "background", "search", "view", "request"] as const) {
			await untilRefused(run, purpose);
		}
		time.aheadMs += 20_000 + minute * 7_000;
	}
	expect(sent.length).toBeGreaterThan(240);
	expect(busiestSpan(sent)).toBe(120);
	for (const process of ["0", "1", "2"]) {
		const own = sent.filter((one) => one.process === process).map(({ atMs }) => atMs);
		const distances = own.slice(1).map((atMs, at) => atMs - (own[at] ?? 0));
		expect(Math.min(...distances)).toBeGreaterThanOrEqual(250);
	}
});

test("[MRG-08] the background of all processes leaves the last 20 to clients, at once and without a call", async () => {
	using run = deployment(2);
	const { sent } = run;
	const background = await untilRefused(run, "background");
	const endless = await untilRefused(run, "endless");
	expect(background + endless).toBe(100);
	expect(sent).toHaveLength(100);
	expect(await untilRefused(run, "view")).toBe(10);
	expect(await untilRefused(run, "request")).toBe(10);
	expect(sent).toHaveLength(120);
});

test("a client that searches for new words again and again, in every process, gets 15 calls and the rest is for others", async () => {
	using run = deployment(2);
	const { sent, providers } = run;
	for (let word = 0; word < 120; word++) {
		const searching = providers[word % 2]?.search(`word ${word}`, { purpose: "search" });
		await searching?.catch(() => []);
	}
	expect(sent).toHaveLength(15);
	expect((await untilRefused(run, "background")) + (await untilRefused(run, "endless"))).toBe(85);
});
