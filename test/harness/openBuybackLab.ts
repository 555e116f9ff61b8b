// Opens one process that buys the token back, over a real node and database.

import { mnemonicToAccount } from "viem/accounts";
import { z } from "zod";
import { createAudit } from "#core/audit/createAudit.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { createCommits } from "#core/db/createCommits.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createSteps, type StepObserver } from "#core/steps.ts";
import type { CustodyTrace, CustodyTransaction, SendOutcome } from "#plugins/custody/contract.ts";
import {
	type BuybackContracts,
	boundsOf,
	buybackConfig,
	type PoolRecord,
	SLOT_MS,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { buybackKind } from "#plugins/tokenomics/buyback/buybackKind.ts";
import { readAlarm, readStatus } from "#plugins/tokenomics/buyback/openBuyback.ts";
import { releaseKind } from "#plugins/tokenomics/buyback/releaseKind.ts";
import { type Turn, type TurnDeps, takeTurn } from "#plugins/tokenomics/buyback/takeTurn.ts";
import { allowanceKind } from "#plugins/wallets/allowance.ts";
import { createChainTroubles } from "#plugins/wallets/chain/readAccount.ts";
import type { Held, IntentKind } from "#plugins/wallets/contract.ts";
import { createExecution } from "#plugins/wallets/createWallets.ts";
import { createDeployment } from "#plugins/wallets/enrolment/planEnrolment.ts";
import { createQueueRuns } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { createNonceClaims } from "#plugins/wallets/submission/nonceQueue.ts";
import { fakeCustody, fakePrices } from "#test/harness/fakes.ts";
import type { BurnChain } from "#test/harness/openBurnChain.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const CHAIN_ID = 4663;
const DOLLARS = 1_000_000n;
const WALLET_ID = "keeper-wallet";
const TURNS_MAX = 25;
const OVER = /^(confirmed|failed|rejected|expired|dry_run)$/;

type Sending = { transaction: CustodyTransaction; referenceId: string };
export type BuybackLab = ReturnType<typeof openBuybackLab>;

/**
 * Opens one process that buys back, over a real node with real pools and a real database: the
 * execution path, and a wallet provider that signs with the node's keys.
 */
export function openBuybackLab(given: {
	db: Database;
	chain: BurnChain;
	/** Environment variables. */
	env?: Record<string, unknown>;
	/** Called at each step of the execution path; an error that it throws ends the process there. */
	observe?: StepObserver;
	/** A session that the database does not know: such a process counts as gone. */
	session?: string;
	clock?: { ms: number };
	/** Blocks on top of a transaction after which nobody looks at it again. */
	finalDepthBlocks?: number;
	/** The wallet provider's knowledge, which outlives a process of ours. */
	traces?: Map<string, CustodyTrace>;
	/** The process's record of pools; else it was always as the newest reading is. */
	record?: PoolRecord;
}) {
	const { db, chain: world, env = {}, observe, session = "tapeline test" } = given;
	const { finalDepthBlocks = 2 } = given;
	const { anvil, addresses, who } = world;
	const chains = createChainRegistry(builtinChains);
	const chain = chains.byId(CHAIN_ID);
	if (!chain) throw new Error("chain 4663 is built in");
	const prices = fakePrices(chains);
	prices.setEth(2_500);
	prices.set({ chainId: CHAIN_ID, currency: ZERO_ADDRESS, usd: 2_500 });
	prices.set({ chainId: CHAIN_ID, currency: addresses.usd, usd: 1, decimals: 18 });
	const own = given.clock ?? { ms: 0 };
	const clock = { nowMs: () => own.ms };
	const limits = { timeoutMs: 5_000, batchMax: 50, concurrencyMax: 2, bodyBytesMax: 10_000_000 };
	const real = httpRpc({ url: anvil.url, ...limits });
	const state = {
		isDryRun: false,
		beforeSend: async () => {},
		afterSend: async () => {},
		/** A false answer of the wallet provider; null: the true one. */
		answer: null as SendOutcome | null,
		settle: null as Rpc["settle"] | null,
		contracts: {
			...{ token: addresses.token, router: addresses.router, burner: addresses.burner },
		} as (BuybackContracts | { token: Address; router: null; burner: null }) | null,
		isDelegated: true,
	};
	const rpc: Rpc = {
		...real,
		settle: (calls, options) => (state.settle ?? real.settle)(calls, options),
	};
	const sent: CustodyTransaction[] = [];
	const traces = given.traces ?? new Map<string, CustodyTrace>();
	const counted: string[] = [];
	const kinds = new Map<string, IntentKind<unknown>>();
	const deps: ExecutionDeps = {
		...{ db, commits: createCommits(db), clock, log: silentLog, holder: "lab" },
		...{ session, prices, nonceClaims: createNonceClaims() },
		custody: fakeCustody({
			byReference: async (reference) => traces.get(reference) ?? null,
			wallet: async (id) => ({
				...{ id, address: who.keeper, isArchived: false, isDelegated: state.isDelegated },
			}),
			send,
		}),
		rpcOf: (chainId) => (chainId === CHAIN_ID ? real : null),
		kindOf: (name) => kinds.get(name) ?? null,
		steps: createSteps(observe ?? null),
		kindSteps: createSteps(observe ?? null),
		profileOf: (queryable, id) => readProfile(queryable, { id }),
		newId: () => Bun.randomUUIDv7(),
		queueRuns: createQueueRuns(),
		looks: { underWay: new Set(), troubles: createChainTroubles(), followed: new Set() },
		audit: createAudit({ clock }),
		settings: {
			get isDryRun() {
				return state.isDryRun;
			},
			limits: {
				perTradeUsdMicros: 5_000n * DOLLARS,
				walletNotionalUsdMicros: 20_000n * DOLLARS,
				dailyUsdMicros: 50_000n * DOLLARS,
				socialUsdMicros: 500n * DOLLARS,
				recipientCooldownMs: 0,
			},
			networkFeeUsdMicros: 200n * DOLLARS,
			sendTimeoutMs: 5_000,
			finalDepthBlocks,
			quota: { burst: 10_000, perSecond: 1, refusedCost: 0 },
			destinations: new Set(),
			slowAfter: { defaultMs: 120_000, byChain: new Map() },
		},
	};
	const execution = createExecution(deps, (kind) => kinds.set(kind.name, kind));
	const deploymentProfile = createDeployment({ ...deps, homeChainId: CHAIN_ID });
	const config = z.object(buybackConfig).parse({
		...{ BUYBACK_ENABLED: true, BUYBACK_WALLET_ID: WALLET_ID, BUYBACK_V3_QUOTER: addresses.quoter },
		BUYBACK_CURRENCIES: `${ZERO_ADDRESS},${addresses.usd}`,
		...env,
	});
	const turnDeps: TurnDeps = {
		...{ clock, log: silentLog, db, rpc, chain, prices },
		wallets: { execution, deploymentProfile },
		quoter: config.BUYBACK_V3_QUOTER,
		currencies: config.BUYBACK_CURRENCIES,
		bounds: boundsOf(config),
		record: given.record ?? alwaysAsNow(),
		isEnabled: config.BUYBACK_ENABLED,
		walletId: config.BUYBACK_WALLET_ID ?? null,
		goneTransactions: new Set(config.BUYBACK_GONE_TRANSACTIONS),
		contractsNow: async () => state.contracts,
		steps: createSteps(observe ?? null),
		...{ jitterMs: 0, random: () => 0 },
		count: (code) => counted.push(code),
	};
	execution.register(allowanceKind(deps));
	execution.register(releaseKind(turnDeps));
	execution.register(buybackKind(turnDeps));
	const jobs = reconcileJobs(deps, execution);
	const { signal } = new AbortController();

	/** Signs with the node's own key and broadcasts, as a wallet provider does. */
	async function send({ transaction, referenceId }: Sending): Promise<SendOutcome> {
		sent.push(transaction);
		await state.beforeSend();
		const signer = mnemonicToAccount(MNEMONIC, { addressIndex: 1 });
		const { chainId, nonce, to, valueRaw: value, data, gasLimit: gas } = transaction;
		const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
		const raw = await signer.signTransaction({
			...{ chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas },
		});
		const transactionHash = await anvil.rpc<Hex>("eth_sendRawTransaction", [raw]);
		const transactionId = `sent ${referenceId}`;
		const known = { transactionId, transactionHash, status: "broadcasted" } as const;
		traces.set(referenceId, { ...known, referenceId });
		await state.afterSend();
		return state.answer ?? { kind: "sent", transactionHash, transactionId };
	}

	/** Sets this process's clock to the chain's time. */
	const sync = async () => {
		own.ms = Math.max(own.ms, await world.timeMs());
	};
	const intents = () =>
		db.query<{ id: string; kind: string; status: string; code: string | null; plan: any }>(
			`select id, kind, status, error_code as code, plan from wallets.intent order by created_at, id`,
		);
	return {
		...{ world, deps, execution, prices, clock: own, state, sent, counted, traces, config },
		...{ sync, intents, turnDeps },
		async turn(): Promise<Turn> {
			await sync();
			return takeTurn(turnDeps, signal);
		},
		/** Mines blocks, and runs the jobs of the execution path. */
		async tick(seconds = 3): Promise<void> {
			await anvil.mined();
			await world.pass(seconds);
			await anvil.rpc("anvil_mine", ["0x3"]);
			await sync();
			for (const job of jobs) await job.run({ signal });
		},
		/** Advances to the next slot. */
		async nextSlot(): Promise<void> {
			await sync();
			await world.pass(Math.ceil((SLOT_MS - (own.ms % SLOT_MS)) / 1_000) + 1);
			await sync();
		},
		/** Ticks until no run is under way. */
		async settled(): Promise<void> {
			for (let turn = 0; turn < TURNS_MAX; turn++) {
				const open = (await intents()).filter(({ status }) => !OVER.test(status));
				if (open.length === 0) return;
				// The reconciler looks less and less often when nothing changes.
				await this.tick(turn < TURNS_MAX / 2 ? 3 : 120);
			}
			const stuck = (await intents()).filter(({ status }) => !OVER.test(status));
			const said = stuck.map(({ kind, status, code }) => ({ kind, status, code }));
			const pool = await anvil.rpc("txpool_status");
			throw new Error(`nothing settles: ${JSON.stringify({ said, pool })}`);
		},
		/** Takes a turn and waits for what it began. */
		async run(): Promise<Turn> {
			const turn = await this.turn();
			if (turn.kind === "began") await this.settled();
			return turn;
		},
		status: () => readStatus({ db, execution, chainId: CHAIN_ID }, config),
		degraded: () => readAlarm(turnDeps),
		/** Returns what each purchase holds, in the order of the requests. */
		async held(): Promise<Held[]> {
			const ids = (await intents()).flatMap(({ id, kind }) => (kind === "buyback" ? [id] : []));
			const held = await execution.held(db, ids);
			const place = (one: Held) => ids.indexOf(one.intentId);
			return held.toSorted((one, other) => place(one) - place(other));
		},
	};
}

/** A record of pools that were always as they are. */
function alwaysAsNow(): PoolRecord {
	const newest = new Map<string, bigint>();
	return {
		note: ({ pool, offered }) => void newest.set(pool, offered),
		least: (pool) => newest.get(pool) ?? null,
	};
}
