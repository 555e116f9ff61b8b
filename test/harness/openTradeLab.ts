// Opens trading of stock tokens over a real node with real pools and database.

import { Elysia } from "elysia";
import { encodeFunctionData } from "viem";
import { z } from "zod";
import { sealBook } from "#core/audit/book.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { createBookVerifier } from "#core/audit/verifyBook.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { createCommits } from "#core/db/createCommits.ts";
import type { Database } from "#core/db/Database.ts";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import { httpFault } from "#core/http/faults.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import { createSteps, type StepObserver } from "#core/steps.ts";
import type { CustodyTrace, CustodyTransaction, SendOutcome } from "#plugins/custody/contract.ts";
import { createTokenSource } from "#plugins/trading/createTokenSource.ts";
import { openTrades, type TradesOptions } from "#plugins/trading/openTrades.ts";
import { createPoolAverages } from "#plugins/trading/prices/createPoolAverages.ts";
import { createReference } from "#plugins/trading/prices/createReference.ts";
import { marketHours } from "#plugins/trading/prices/marketHours.ts";
import {
	createAssets,
	type Eligibility,
	type Pool,
	type SetAside,
} from "#plugins/trading/registry/createAssets.ts";
import { tradeConfig } from "#plugins/trading/tradeConfig.ts";
import { allowanceKind } from "#plugins/wallets/allowance.ts";
import { createChainTroubles } from "#plugins/wallets/chain/readAccount.ts";
import type { Intent, IntentKind, Wallets } from "#plugins/wallets/contract.ts";
import { createExecution } from "#plugins/wallets/createWallets.ts";
import { createQueueRuns } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { createLinks } from "#plugins/wallets/link/createLinks.ts";
import { linkRoutes, requireOwnPage } from "#plugins/wallets/link/linkRoutes.ts";
import { cancelForOwner } from "#plugins/wallets/link/useLink.ts";
import { createOnce } from "#plugins/wallets/once/createOnce.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { resolveRoutes } from "#plugins/wallets/resolve/resolveRoutes.ts";
import { stepRoutes } from "#plugins/wallets/routes/ownIntentRoutes.ts";
import { createNonceClaims } from "#plugins/wallets/submission/nonceQueue.ts";
import { walletsBook } from "#plugins/wallets/walletsBook.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { fakeCustody, fakePrices } from "#test/harness/fakes.ts";
import {
	broadcast,
	insertTrader,
	STOCK_CHAIN_ID,
	type Trader,
	type TraderOptions,
} from "#test/harness/stockChain.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

const ADMIN_KEY = "the key of an operator, for tests";
const DOLLARS = 1_000_000n;
const lower = (address: string) => address.toLowerCase() as Address;

export type Asked = { status: number; headers: Headers; body: any };

/**
 * Opens trading over a real node with real pools and a real database: the execution path, a wallet
 * provider that signs with the node's keys, and routes behind the real gate. A bearer token is a
 * profile's id.
 */
export function openTradeLab(given: {
	db: Database;
	anvil: Anvil;
	world: StockWorld;
	/** Environment variables. */
	env?: Record<string, unknown>;
	/** Called at each step of the execution path; an error that it throws ends the process there. */
	observe?: StepObserver;
	/** A session that the database does not know: such a process counts as gone. */
	session?: string;
}) {
	const { db, anvil, world, env = {}, observe, session = "tapeline test" } = given;
	const chains = createChainRegistry(builtinChains);
	const chain = chains.byId(STOCK_CHAIN_ID);
	if (!chain) throw new Error("chain 4663 is built in");
	const prices = fakePrices(chains);
	prices.setEth(2_500);
	prices.set({ chainId: STOCK_CHAIN_ID, currency: ZERO_ADDRESS, usd: 2_500 });
	prices.set({ chainId: STOCK_CHAIN_ID, currency: lower(world.addresses.weth), usd: 2_500 });
	prices.set({
		chainId: STOCK_CHAIN_ID,
		currency: lower(world.addresses.usdg),
		usd: 1,
		decimals: 6,
	});
	const clock = { ms: Date.now(), nowMs: () => clock.ms };
	const limits = { timeoutMs: 5_000, batchMax: 50, concurrencyMax: 2, bodyBytesMax: 10_000_000 };
	const real = httpRpc({ url: anvil.url, ...limits });
	const state = {
		isDryRun: false,
		beforeSend: async () => {},
		/** Replaces the wallet provider's answer to a transaction that it broadcast. */
		answerOf: (outcome: SendOutcome): SendOutcome => outcome,
		/** The wallet provider's own record of a reference. */
		traceOf: async (_reference: string): Promise<CustodyTrace | null> => null,
		barred: null as Awaited<ReturnType<Eligibility["mayTrade"]>>,
		/** Replaces the quoter's calls; null: the real ones. */
		settle: null as Rpc["settle"] | null,
		/** Replaces the calls of the execution path; null: the real ones. */
		pathSettle: null as Rpc["settle"] | null,
		/** The pools that are not used now. */
		setAside: [] as readonly SetAside[],
		pools: world.pools.map(
			({ address, token0, token1, fee }): Pool => ({
				...{ address: lower(address), token0: lower(token0), token1: lower(token1) },
				...{ feeBps100: fee, liquidity: null, version: "v3" },
			}),
		),
	};
	const rpc: Rpc = {
		...real,
		settle: (calls, options) => (state.settle ?? real.settle)(calls, options),
	};
	const path: Rpc = {
		...real,
		settle: (calls, options) => (state.pathSettle ?? real.settle)(calls, options),
	};
	const sent: CustodyTransaction[] = [];
	/** The references under which they were handed over. */
	const references: string[] = [];
	const steps: string[] = [];
	const kinds = new Map<string, IntentKind<unknown>>();
	const audited: { action: string; actor: string }[] = [];
	const operators = createOperators({ apiKey: ADMIN_KEY, clock, metrics: createMetrics() });
	const deps: ExecutionDeps = {
		...{ db, commits: createCommits(db), clock, log: silentLog, holder: "lab" },
		...{ session, prices, nonceClaims: createNonceClaims() },
		custody: fakeCustody({ byReference: (reference) => state.traceOf(reference), send }),
		rpcOf: (chainId) => (chainId === STOCK_CHAIN_ID ? path : null),
		kindOf: (name) => kinds.get(name) ?? null,
		steps: createSteps(observe ?? null),
		kindSteps: createSteps(async (step, edge) => {
			if (edge === "before") steps.push(step);
			await observe?.(step, edge);
		}),
		profileOf: (queryable, id) => readProfile(queryable, { id }),
		newId: () => Bun.randomUUIDv7(),
		queueRuns: createQueueRuns(),
		looks: { underWay: new Set(), troubles: createChainTroubles(), followed: new Set() },
		audit: {
			append: async (_, { action, actor }) => {
				audited.push({ action, actor });
			},
		},
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
			finalDepthBlocks: 2,
			quota: { burst: 10_000, perSecond: 1, refusedCost: 0 },
			destinations: new Set(),
			slowAfter: { defaultMs: 120_000, byChain: new Map() },
		},
	};
	const execution = createExecution(deps, (kind) => kinds.set(kind.name, kind));
	execution.register(allowanceKind(deps));
	const links = createLinks({ ...deps, db, publicUrl: "https://app.example" });
	const ending = new AbortController().signal;
	const principalOf = async (id: string | null | undefined) => {
		const profile = id ? await readProfile(db, { id }) : null;
		if (!profile) throw httpFault.unauthorized();
		return { profile, sessionId: null };
	};
	const origins = createOriginPolicy({ allowedOrigins: [], publicUrl: "https://app.example" });
	const wallets: Wallets = {
		requireOwnPage: (request, asked) => requireOwnPage(request, { origins }, asked),
		authenticate: (request: Request) =>
			principalOf(/^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1]),
		profileOfSocial: async () => null,
		deploymentProfile: () => Promise.reject(httpFault.unauthorized()),
		principalOf: ({ profileId }: Caller) => principalOf(profileId),
		execution,
		once: createOnce(deps),
		cancel: (intentId, by) => cancelForOwner(deps, links, { intentId, ...by }),
		link: (intent, purpose) => links.askOwner(intent, purpose),
	};
	const budget = {
		take: async () => ({ granted: true, remaining: 1, retryAfterMs: 0 }),
		pause: async () => {},
	};
	const core = { clock, log: silentLog, db, chains, budget } as unknown as Core;
	const config: TradesOptions["config"] = {
		// A source is silent only where a test makes it so, not because the machine is busy.
		...z.object(tradeConfig).parse({ TRADE_QUOTE_TIMEOUT_MS: 15_000, ...env }),
		TRADE_SETTLEMENT_ASSETS: [lower(world.addresses.usdg)],
		TRADE_V3_FACTORY: lower(world.addresses.factory),
	};
	const setAside = () => state.setAside;
	const assets = createAssets({ chain, pools: () => state.pools, setAside });
	const reference = createReference({
		...{ chainId: STOCK_CHAIN_ID, rpc: real, db, clock, log: silentLog, prices },
		...{ hours: marketHours("always"), silentMs: 86_400_000 },
	});
	const averages = createPoolAverages({ rpc, db, clock });
	execution.tokens.register(
		createTokenSource({
			...{ db, chainId: STOCK_CHAIN_ID, assets, reference, averages },
			unpricedUsdMicrosMax: BigInt(config.TRADE_UNPRICED_USD_MAX) * DOLLARS,
			contracts: new Map([[config.TRADE_V3_ROUTER, "the router of trades"]]),
		}),
	);
	// As in a service, only stocks are asked about.
	const eligibility: Eligibility = {
		mayTrade: async (_, { asset }) => (asset.kind === "stock" ? state.barred : null),
	};
	const opened = openTrades({
		...{ core, config, wallets, rpc, assets, reference, averages, eligibility, ending },
	});
	const app = testHttpApp({
		clock,
		routes: [
			new Elysia().use(opened.routes),
			stepRoutes({ authenticate: wallets.authenticate, execution, chains }),
			linkRoutes({
				...{ deps, links, execution, ending, authenticate: wallets.authenticate },
				origins,
				chainOf: (id) => chains.byId(id) ?? null,
			}),
			resolveRoutes({ deps, core: { audit: deps.audit, operators }, ending }),
		],
	});
	const jobs = reconcileJobs(deps, execution);

	/** Signs with the node's own key and broadcasts, as a wallet provider does. */
	async function send({ transaction, referenceId }: Sending): Promise<SendOutcome> {
		sent.push(transaction);
		references.push(referenceId);
		await state.beforeSend();
		const transactionHash = await broadcast(anvil, transaction);
		return state.answerOf({ kind: "sent", transactionHash, transactionId: null });
	}

	async function ask(
		path: string,
		options: {
			method?: string;
			body?: unknown;
			by?: Trader;
			key?: string;
			actor?: string;
			headers?: Record<string, string>;
		} = {},
	): Promise<Asked> {
		const { body, by, key, method = body === undefined ? "GET" : "POST" } = options;
		const headers = new Headers(options.headers ?? {});
		if (options.actor !== undefined) {
			headers.set("x-api-key", ADMIN_KEY);
			headers.set("x-admin-actor", options.actor);
		}
		if (by) headers.set("authorization", `Bearer ${by.profile.id}`);
		if (key !== undefined) headers.set("idempotency-key", key);
		if (body !== undefined) headers.set("content-type", "application/json");
		const text = typeof body === "string" ? body : JSON.stringify(body);
		const init = body === undefined ? { method, headers } : { method, headers, body: text };
		const response = await app.handle(new Request(`http://localhost${path}`, init));
		const answer = await response.text();
		const isJson = /json/.test(response.headers.get("content-type") ?? "");
		const { status } = response;
		return { status, headers: response.headers, body: isJson ? JSON.parse(answer) : answer };
	}

	return {
		...{ db, anvil, world, deps, execution, prices, clock, state, sent, steps, wallets, rpc },
		...{ audited, references },
		...{ ask, tools: opened.tools, assets, chains, reference },
		/** Answers a request as it is. */
		handle: (request: Request) => app.handle(request),
		async trader(options: TraderOptions = {}): Promise<Trader> {
			return insertTrader({ db, clock }, options);
		},
		/** Requests a trade by its text. */
		trade: (by: Trader, command: string, key?: string) =>
			ask("/v1/trading/intents", { by, body: { command }, ...(key !== undefined && { key }) }),
		/** Answers an intent's review, as an operator. */
		review: (intentId: string, review: "approve" | "refuse") =>
			ask(`/v1/admin/trading/intents/${intentId}/resolve`, { body: { review }, actor: "ann" }),
		read: async (by: Trader, id: string) => (await ask(`/v1/trading/intents/${id}`, { by })).body,
		/** Returns an account's balance of a token; the zero address is the coin. */
		async balance(token: string, account: string): Promise<bigint> {
			if (token === ZERO_ADDRESS)
				return BigInt(await anvil.rpc<string>("eth_getBalance", [account, "latest"]));
			const data = `0x70a08231${account.slice(2).padStart(64, "0")}`;
			return BigInt(await anvil.rpc<string>("eth_call", [{ to: token, data }, "latest"]));
		},
		/** Allows the router to take this much of a token, as an earlier trade would have. */
		async approve(by: Trader, token: string, raw: bigint): Promise<void> {
			const data = encodeFunctionData({
				abi: [
					{
						...{ type: "function", name: "approve", stateMutability: "nonpayable", outputs: [] },
						inputs: [
							{ name: "spender", type: "address" },
							{ name: "raw", type: "uint256" },
						],
					},
				],
				args: [lower(world.addresses.router), raw],
			});
			const from = by.wallet.address;
			await anvil.rpc("eth_sendTransaction", [{ from, to: token, data }]);
			await anvil.mined();
		},
		/** Advances the clock, mines blocks, and runs the jobs. */
		async tick(ms = 1_000): Promise<void> {
			await anvil.mined();
			await anvil.rpc("anvil_mine", ["0x3"]);
			clock.ms += ms;
			for (const job of jobs) await job.run({ signal: ending });
		},
		/** Ticks until a trade has a final status. */
		async settled(by: Trader, id: string): Promise<any> {
			for (let turn = 0; turn < TURNS_MAX; turn++) {
				const trade = (await ask(`/v1/trading/intents/${id}`, { by })).body;
				if (/^(confirmed|failed|rejected|expired|dry_run)$/.test(trade.status)) return trade;
				await this.tick(2_000);
			}
			throw new Error("the trade does not settle");
		},
		/** Returns an intent's reserved, spent and returned sums, in base units. */
		async ledger(intentId: string): Promise<Record<string, string>> {
			const rows = await db.query<{ kind: string; sum: string }>(
				`select kind, sum(amount_raw)::text as sum from wallets.spend_entry
				where intent_id = $1 group by kind`,
				[intentId],
			);
			return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
		},
		/** Seals new rows; returns how many rows differ from their seal. */
		async bookFlaws(): Promise<number> {
			await sealBook({ db, clock, audit: createAudit({ clock }) }, walletsBook);
			const verifier = createBookVerifier(db, [walletsBook]);
			await verifyChain(db, { visit: (entry) => verifier.visit(entry) });
			return (await verifier.end()).flaws.length;
		},
		intentOf: async (id: string, by: Trader): Promise<Intent | null> =>
			execution.read(id, by.profile.id),
	};
}

const TURNS_MAX = 12;

type Sending = { transaction: CustodyTransaction; referenceId: string };

export type TradeLab = ReturnType<typeof openTradeLab>;
