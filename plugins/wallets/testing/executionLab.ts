// Opens the path that money leaves by over a test database, with scripted nodes.

import type { AuditEntry } from "#core/audit/createAudit.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { createCommits } from "#core/db/createCommits.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createSteps, type StepObserver } from "#core/steps.ts";
import { createChainTroubles } from "#plugins/wallets/chain/readAccount.ts";
import { createExecution } from "#plugins/wallets/createWallets.ts";
import { createQueueRuns } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { IntentKind } from "#plugins/wallets/IntentKind.ts";
import type { Channel, Intent } from "#plugins/wallets/model.ts";
import { createOnce } from "#plugins/wallets/once/createOnce.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import type { IntentQuota } from "#plugins/wallets/quota.ts";
import { reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { createNonceClaims } from "#plugins/wallets/submission/nonceQueue.ts";
import { createScriptedCustody } from "#plugins/wallets/testing/createScriptedCustody.ts";
import {
	insertPerson,
	type Person,
	type PersonOptions,
} from "#plugins/wallets/testing/insertPerson.ts";
import { type PayScript, payKind } from "#plugins/wallets/testing/payKind.ts";
import { createScriptedChain } from "#plugins/wallets/testing/scriptedChain.ts";
import { fakePrices } from "#test/harness/fakes.ts";

export const CHAIN_ID = 31_337;
export const NOW_MS = Date.UTC(2026, 10, 21, 12);
/** After so long operators are shown what was sent. */
export const SLOW_AFTER_MS = 120_000;
const DOLLARS = 1_000_000n;
export const SHOP: Address = `0x${"5".repeat(40)}`;

/** Nobody is held back, unless a test says so. */
const NO_QUOTA: IntentQuota = { burst: 1_000_000, perSecond: 1, refusedCost: 0 };

export type Payment = { valueRaw: string; data: Hex; to: Address };
/** The path that money leaves by over a scripted chain and wallet provider, on a real database. */
export function openExecutionLab(db: Database, options: { observe?: StepObserver } = {}) {
	const chain = createScriptedChain();
	const prices = fakePrices();
	prices.setEth(2_000);
	const clock = { ms: NOW_MS, nowMs: () => clock.ms };
	const provider = createScriptedCustody(chain);
	const { custody, handed, moods } = provider;
	const script: PayScript = { missing: null, recipient: null, beforePlan() {} };
	const state = Object.assign(script, { isDryRun: false, quota: NO_QUOTA });
	const kinds = new Map<string, IntentKind<unknown>>();
	const audited: AuditEntry[] = [];
	const unexpected: unknown[] = [];
	const deps: ExecutionDeps = {
		...{ db, commits: createCommits(db), clock, custody, prices },
		log: { ...silentLog, error: (message, context) => unexpected.push(context?.error ?? message) },
		...{ holder: "lab", session: "tapeline test", nonceClaims: createNonceClaims() },
		rpcOf: (chainId) => (chainId === CHAIN_ID ? chain.rpc : null),
		kindOf: (name) => kinds.get(name) ?? null,
		steps: createSteps(options.observe ?? null),
		kindSteps: createSteps(options.observe ?? null),
		profileOf: (queryable, id) => readProfile(queryable, { id }),
		newId: () => Bun.randomUUIDv7(),
		queueRuns: createQueueRuns(),
		looks: { underWay: new Set(), troubles: createChainTroubles(), followed: new Set() },
		audit: { append: async (tx, entry) => tx.afterCommit(() => void audited.push(entry)) },
		settings: settingsOf(state),
	};
	const execution = createExecution(deps, (kind) => kinds.set(kind.name, kind));
	execution.register(payKind({ clock, script }));
	const jobs = reconcileJobs(deps, execution);
	const signal = new AbortController().signal;

	return {
		db,
		chain,
		prices,
		clock,
		deps,
		execution,
		moods,
		handed,
		state,
		once: createOnce(deps),
		signal,
		audited,
		provider,
		person: (person: PersonOptions = {}) =>
			insertPerson(db, { ...person, chainId: CHAIN_ID, nowMs: clock.ms }),
		pay: (by: Person, payment: PaymentOptions = {}) => pay({ db, execution, signal }, by, payment),
		/**
		 * Time passes, and the jobs have their turn. Throws what they log as an error: they go on
		 * without what fails so, and a test would only see that something is not done.
		 */
		async tick(ms = 1_000): Promise<void> {
			clock.ms += ms;
			for (const job of jobs) await job.run({ signal });
			const errors = unexpected.splice(0);
			if (errors.length > 0) throw new AggregateError(errors, `jobs failed: ${errors.join("; ")}`);
		},
		async intent(id: string): Promise<Intent> {
			const rows = await db.query<{ profile_id: string }>(
				"select profile_id from wallets.intent where id = $1",
				[id],
			);
			const intent = await execution.read(id, rows[0]?.profile_id ?? "");
			if (!intent) throw new Error("no such intent");
			return intent;
		},
		/** What is reserved, spent and given back, in microdollars, of an intent. */
		ledger: (id: string) => ledgerOf(db, id),
		async moves(id: string): Promise<string[]> {
			const rows = await db.query<{ event: string }>(
				"select event from wallets.intent_move where intent_id = $1 order by seq",
				[id],
			);
			return rows.map(({ event }) => event);
		},
	};
}

export type Lab = ReturnType<typeof openExecutionLab>;
export type PaymentOptions = {
	ether?: string;
	data?: Hex;
	to?: Address;
	channel?: Channel;
	/** Several recipients make a batch. */
	times?: number;
	/** Only recorded, not taken further. */
	stays?: boolean;
};

async function ledgerOf(db: Database, id: string): Promise<Record<string, number>> {
	const rows = await db.query<{ kind: string; sum: number }>(
		`select kind, sum(usd_micros)::int8 as sum from wallets.spend_entry
		where intent_id = $1 group by kind`,
		[id],
	);
	return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
}

let payments = 0;

async function pay(
	{ db, execution, signal }: Pick<Lab, "db" | "execution" | "signal">,
	{ profile, wallet }: Person,
	options: PaymentOptions,
): Promise<Intent[]> {
	const { ether = "0.5", times = 1, channel = "api", stays = false, to = SHOP } = options;
	const valueRaw = String(BigInt(Math.round(Number(ether) * 1e6)) * 10n ** 12n);
	const batchId = times > 1 ? { batchId: Bun.randomUUIDv7() } : {};
	const intents = await db.transaction((tx) =>
		execution.create(
			tx,
			Array.from({ length: times }, () => {
				payments++;
				const data = options.data ?? (`0x${payments.toString(16).padStart(8, "0")}` as Hex);
				const request: Payment = { valueRaw, data, to };
				return { kind: "pay", profile, wallet, chainId: CHAIN_ID, channel, request, ...batchId };
			}),
		),
	);
	const ids = intents.map(({ id }) => id);
	return stays ? intents : execution.advance(ids, signal);
}

function settingsOf(state: { isDryRun: boolean; quota: IntentQuota }): ExecutionDeps["settings"] {
	return {
		get isDryRun() {
			return state.isDryRun;
		},
		limits: {
			perTradeUsdMicros: 5_000n * DOLLARS,
			walletNotionalUsdMicros: 6_000n * DOLLARS,
			dailyUsdMicros: 10_000n * DOLLARS,
			socialUsdMicros: 500n * DOLLARS,
			recipientCooldownMs: 0,
		},
		networkFeeUsdMicros: 50n * DOLLARS,
		sendTimeoutMs: 1_000,
		finalDepthBlocks: 3,
		get quota() {
			return state.quota;
		},
		destinations: new Set(),
		slowAfter: { defaultMs: SLOW_AFTER_MS, byChain: new Map() },
	};
}
