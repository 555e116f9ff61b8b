// Runs many bridges against a simulated provider, to measure who waits how long.

import { bytesOf, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createSteps } from "#core/steps.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { routeJson } from "#plugins/bridge/model.ts";
import { reconcileJobs } from "#plugins/bridge/reconcile/reconcileJobs.ts";
import { POLLS_PER_MINUTE, relayFault } from "#plugins/bridge/relay/createRelayClient.ts";
import type { RelayStatus } from "#plugins/bridge/relay/Relay.ts";

const START_MS = Date.UTC(2026, 10, 25, 12);
const USER = `0x${"a1".repeat(20)}` as const;
const place = (chainId: number) => ({
	...{ chainId, chain: `c${chainId}`, currency: ZERO_ADDRESS, symbol: "ETH", decimals: 18 },
});

type Named = { idOf(n: number): string; requestOf(n: number): Hex };

/** Open bridges in a database, a provider that counts, and a clock that goes when it is told to. */
export function createPollingLab(db: Database) {
	const clock = { ms: START_MS, nowMs: () => clock.ms };
	const lab = {
		clock,
		startMs: START_MS,
		/** Calls that the provider takes in a minute. */
		perMinute: POLLS_PER_MINUTE,
		/** What was asked for: the number of a bridge, and when. */
		polled: [] as { n: number; atMs: number }[],
		word: { kind: "unseen" } as RelayStatus,
		/** Numbers of bridges about which it does not answer. */
		silent: new Set<number>(),
		alarms: [] as string[],
		/** How long after its deposit a bridge is timed out. */
		timeoutMs: 1e12,
		idOf: (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`,
		requestOf: (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`,
		async reset(): Promise<void> {
			await db.execute("truncate bridge.bridge cascade");
			clock.ms = START_MS;
			taken = [];
			[lab.polled, lab.perMinute, lab.word] = [[], POLLS_PER_MINUTE, { kind: "unseen" }];
			lab.alarms = [];
			lab.silent = new Set();
			lab.timeoutMs = 1e12;
		},
		async insertOpen(count: number): Promise<void> {
			await insertBridges(db, { lab, count });
		},
		async passSeconds(seconds: number): Promise<void> {
			const [, follow] = reconcileJobs(contextOf());
			const { signal } = new AbortController();
			for (let second = 0; second < seconds; second++) {
				await follow?.run({ signal });
				clock.ms += 1_000;
			}
		},
		/** The longest that each bridge went without being asked about, in milliseconds. */
		waits(count: number): number[] {
			return Array.from({ length: count }, (_, index) => {
				const times = lab.polled.filter(({ n }) => n === index + 1).map(({ atMs }) => atMs);
				const all = [START_MS, ...times];
				return Math.max(...all.slice(1).map((at, nth) => at - (all[nth] ?? START_MS)));
			});
		},
	};
	let taken: number[] = [];

	function contextOf(): BridgeContext {
		const relay = {
			canSearch: false,
			async status(requestId: Hex) {
				taken = taken.filter((at) => clock.ms - at < 60_000);
				if (taken.length >= lab.perMinute) throw relayFault.rateLimited();
				taken.push(clock.ms);
				const n = Number(BigInt(requestId));
				lab.polled.push({ n, atMs: clock.ms });
				if (lab.silent.has(n)) throw relayFault.unavailable();
				return lab.word;
			},
			async hint() {},
		};
		return {
			core: { db, clock, log: silentLog },
			wallets: { execution: { read: async () => null } },
			...{
				relay,
				directory: { knownChains: async () => [] },
				readers: { of: () => null, own: () => null },
			},
			settings: {
				isOn: true,
				isDryRun: false,
				deniedChainIds: new Set(),
				timeoutMs: lab.timeoutMs,
			},
			alarm: (reason: string) => void lab.alarms.push(reason),
			ending: new AbortController().signal,
			steps: createSteps(null),
		} as unknown as BridgeContext;
	}

	return lab;
}

async function insertBridges(
	db: Database,
	{ lab: { idOf, requestOf }, count }: { lab: Named; count: number },
): Promise<void> {
	const route = {
		...{ user: USER, recipient: USER, refundTo: USER, amountRaw: 1n },
		...{ origin: place(1), destination: place(2) },
	};
	const numbers = Array.from({ length: count }, (_, index) => index + 1);
	const start = new Date(START_MS);
	await db.execute(
		`insert into bridge.bridge (id, profile_id, wallet_id, channel, asks, request, route, status,
			quote_seq, deposit_hash, deposited_at, hinted_at, created_at, changed_at, look_at)
		select id, id, id, 'api', false, '{}', $2::jsonb, 'pending', 1, $3, $4::timestamptz, $4, $4,
			$4, $4
		from unnest($1::uuid[]) as t (id)`,
		[numbers.map(idOf), JSON.stringify(routeJson(route)), bytesOf(requestOf(1)), start],
	);
	const told = {
		...{ fees: {}, impactPercent: null, impactUsd: null, estimateSeconds: 1, rate: null },
		...{ order: {}, orderSignature: "0x" },
	};
	for (const n of numbers) {
		await db.execute(
			`insert into bridge.quote (bridge_id, seq, request_id, order_id, depository, minimum_out_raw,
				expected_out_raw, expires_at, steps, told, created_at)
			values ($1, 1, $2, $2, $3, 1, 1, $4, '[]', $5::jsonb, $4)`,
			[idOf(n), bytesOf(requestOf(n)), bytesOf(USER), start, JSON.stringify(told)],
		);
	}
}
