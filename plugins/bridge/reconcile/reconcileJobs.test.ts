import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { bytesOf } from "#core/chain/bytesOf.ts";
import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createSteps } from "#core/steps/createSteps.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { routeJson } from "#plugins/bridge/quote/BridgeRoute.ts";
import { reconcileJobs } from "#plugins/bridge/reconcile/reconcileJobs.ts";
import { relayFault } from "#plugins/bridge/relay/faults.ts";
import { POLLS_PER_MINUTE } from "#plugins/bridge/relay/limits.ts";
import type { RelayStatus } from "#plugins/bridge/relay/Relay.ts";
import { wakeBridge } from "#plugins/bridge/sql/bridges.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a thousand open bridges are looked at within the provider's limits, each in its turn.

const OPEN = 1_000;
const START = Date.UTC(2026, 10, 25, 12);
const USER = `0x${"a1".repeat(20)}` as const;
const place = (chainId: number) => ({
	...{ chainId, chain: `c${chainId}`, currency: ZERO_ADDRESS, symbol: "ETH", decimals: 18 },
});
const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
const requestOf = (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`;

let database: TestDatabase;
const clock = { ms: START, nowMs: () => clock.ms };
/** Calls of the last minute, as the provider counts them. */
let taken: number[] = [];
let perMinute = POLLS_PER_MINUTE;
let polled: { n: number; atMs: number }[] = [];
let word: RelayStatus = { kind: "unseen" };

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate bridge.bridge cascade");
	clock.ms = START;
	[taken, polled, perMinute, word] = [[], [], POLLS_PER_MINUTE, { kind: "unseen" }];
});

function jobs() {
	const relay = {
		canSearch: false,
		async status(requestId: Hex) {
			taken = taken.filter((at) => clock.ms - at < 60_000);
			if (taken.length >= perMinute) throw relayFault.rateLimited();
			taken.push(clock.ms);
			polled.push({ n: Number(BigInt(requestId)), atMs: clock.ms });
			return word;
		},
		async hint() {},
	};
	const context = {
		core: { db: database.db, clock, log: silentLog },
		wallets: { execution: { read: async () => null } },
		...{ relay, directory: { knownChains: async () => [] }, readers: { of: () => null } },
		settings: { isOn: true, isDryRun: false, deniedChainIds: new Set(), timeoutMs: 1e12 },
		...{ alarm() {}, ending: new AbortController().signal },
		steps: createSteps(null),
	} as unknown as BridgeContext;
	return reconcileJobs(context);
}

async function insertOpen(count: number): Promise<void> {
	const route = {
		...{ user: USER, recipient: USER, refundTo: USER, amountRaw: 1n },
		...{ origin: place(1), destination: place(2) },
	};
	const ids = Array.from({ length: count }, (_, n) => idOf(n + 1));
	await database.db.execute(
		`insert into bridge.bridge (id, profile_id, wallet_id, channel, asks, request, route, status,
			quote_seq, deposit_hash, deposited_at, hinted_at, created_at, changed_at, look_at)
		select id, id, id, 'api', false, '{}', $2::jsonb, 'pending', 1, $3, $4::timestamptz, $4, $4,
			$4, $4
		from unnest($1::uuid[]) as t (id)`,
		[ids, JSON.stringify(routeJson(route)), bytesOf(requestOf(1)), new Date(START)],
	);
	for (let n = 1; n <= count; n++) {
		await database.db.execute(
			`insert into bridge.quote (bridge_id, seq, request_id, order_id, depository, minimum_out_raw,
				expected_out_raw, expires_at, steps, told, created_at)
			values ($1, 1, $2, $2, $3, 1, 1, $4, '[]', $5::jsonb, $4)`,
			[
				...[idOf(n), bytesOf(requestOf(n)), bytesOf(USER), new Date(START)],
				JSON.stringify({
					...{ fees: {}, impactPercent: null, impactUsd: null, estimateSeconds: 1, rate: null },
					...{ order: {}, orderSignature: "0x" },
				}),
			],
		);
	}
}

async function passSeconds(seconds: number): Promise<void> {
	const [, follow] = jobs();
	const { signal } = new AbortController();
	for (let second = 0; second < seconds; second++) {
		await follow?.run({ signal });
		clock.ms += 1_000;
	}
}

test("none waits for longer than twice its turn, and no minute has more calls than it may", async () => {
	await insertOpen(OPEN);
	const turnMs = (OPEN / POLLS_PER_MINUTE) * 60_000;
	await passSeconds((2.2 * turnMs) / 1_000);
	const waits = Array.from({ length: OPEN }, (_, index) => {
		const times = polled.filter(({ n }) => n === index + 1).map(({ atMs }) => atMs);
		const all = [START, ...times];
		return Math.max(...all.slice(1).map((at, place) => at - (all[place] ?? START)));
	});
	expect(waits.filter((wait) => !(wait <= 2 * turnMs))).toEqual([]);
	for (let from = START; from < clock.ms; from += 10_000) {
		const within = polled.filter(({ atMs }) => atMs >= from && atMs < from + 60_000);
		expect(within.length).toBeLessThanOrEqual(POLLS_PER_MINUTE);
	}
});

test("a webhook puts its bridge behind what is due already, and before all else", async () => {
	await insertOpen(3);
	await passSeconds(1);
	polled = [];
	// All were looked at, and rest; one is told of.
	const at = new Date(clock.ms);
	expect(await wakeBridge(database.db, { requestId: requestOf(2), at })).toBe(true);
	expect(await wakeBridge(database.db, { requestId: requestOf(2), at })).toBe(false);
	await passSeconds(1);
	expect(polled.map(({ n }) => n)).toEqual([2]);
	const unknown = await wakeBridge(database.db, { requestId: requestOf(99), at });
	expect(unknown).toBe(false);
});

test("while the provider is away every bridge keeps its place", async () => {
	await insertOpen(5);
	perMinute = 0;
	await passSeconds(3);
	const rows = () =>
		database.db.query<{ status: string }>("select status, look_at from bridge.bridge");
	expect(new Set((await rows()).map(({ status }) => status))).toEqual(new Set(["pending"]));
	perMinute = POLLS_PER_MINUTE;
	await passSeconds(1);
	expect(polled.map(({ n }) => n).sort()).toEqual([1, 2, 3, 4, 5]);
});

test("a claim without a node stands after two minutes, marked as nobody's but the provider's", async () => {
	await insertOpen(1);
	word = {
		...{ kind: "seen", status: "success", depositHashes: [], failReason: null },
		...{ outHashes: [{ hash: requestOf(7), chainId: null }], updatedAtMs: null },
	};
	const status = async () => {
		const [row] = await database.db.query<{ status: string; verified: boolean | null }>(
			"select status, is_verified as verified from bridge.bridge",
		);
		return row;
	};
	await passSeconds(60);
	expect(await status()).toEqual({ status: "pending", verified: null });
	await passSeconds(75);
	expect(await status()).toEqual({ status: "success", verified: false });
});
