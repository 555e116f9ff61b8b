// Opens buying over a real node with the real marketplace and database.

import { type Hex, hexToBytes } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { createCommits } from "#core/db/createCommits.ts";
import type { Database } from "#core/db/Database.ts";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import { httpFault } from "#core/http/faults.ts";
import { silentLog } from "#core/log.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import { createSteps } from "#core/steps.ts";
import type { CustodyTransaction, SendOutcome } from "#plugins/custody/contract.ts";
import { createBuyKind, createOfferKind } from "#plugins/nft-buys/kinds.ts";
import type { BuyRequest } from "#plugins/nft-buys/model.ts";
import { allowanceKind } from "#plugins/wallets/allowance.ts";
import { createChainTroubles } from "#plugins/wallets/chain/readAccount.ts";
import type { Intent, IntentKind, Profile, Wallet, Wallets } from "#plugins/wallets/contract.ts";
import { createExecution } from "#plugins/wallets/createWallets.ts";
import { createQueueRuns } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { createLinks } from "#plugins/wallets/link/createLinks.ts";
import { linkRoutes, requireOwnPage } from "#plugins/wallets/link/linkRoutes.ts";
import { cancelForOwner } from "#plugins/wallets/link/useLink.ts";
import { createOnce } from "#plugins/wallets/once/createOnce.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { resolveArrival } from "#plugins/wallets/resolve/resolveRoutes.ts";
import { createNonceClaims } from "#plugins/wallets/submission/nonceQueue.ts";
import { readLedgerFlaws } from "#plugins/wallets/watch/ledgerCheck.ts";
import { listWaiting } from "#plugins/wallets/watch/readWaiting.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { createFakeProvider, fakeCustody, fakePrices } from "#test/harness/fakes.ts";
import { nodeAccounts } from "#test/harness/fixtures.ts";
import type { SeaportChain } from "#test/harness/seaport.ts";
import { type Listed, type ListingTerms, sellListing } from "#test/harness/sellListing.ts";

const DOLLARS = 1_000_000n;
export const CHAIN_ID = 31_337;
export const ETHER = 10n ** 18n;

export type Buyer = { profile: Profile; wallet: Wallet; token: string };
export type BuyerOptions = {
	/** The index of the node's account that is the wallet; default 1. */
	account?: number;
	capability?: Wallet["capability"];
	requireTradeConfirmation?: boolean;
	perTradeUsdMax?: bigint;
	dailyUsdMax?: bigint;
	notionalUsdMax?: bigint;
};
export type BuyLab = ReturnType<typeof openBuyLab>;

/**
 * Opens buying over a real node with the real marketplace and a real database: the execution path,
 * a wallet provider that signs with the node's keys, and a marketplace provider whose answers the
 * test sets.
 */
export function openBuyLab(given: { db: Database; anvil: Anvil; seaport: SeaportChain }) {
	const { db, anvil, seaport } = given;
	const chains = createChainRegistry(builtinChains);
	const prices = fakePrices(chains);
	prices.setEth(2_000);
	const fake = createFakeProvider();
	const clock = { ms: Date.now(), nowMs: () => clock.ms };
	const limits = { timeoutMs: 5_000, batchMax: 20, concurrencyMax: 2, bodyBytesMax: 10_000_000 };
	const rpc = httpRpc({ url: anvil.url, ...limits });
	const state = { rpc: rpc as Rpc | null, isDryRun: false, beforeSend: async () => {} };
	const sent: CustodyTransaction[] = [];
	const steps: string[] = [];
	const tokens = new Map<string, string>();
	const kinds = new Map<string, IntentKind<unknown>>();
	const deps: ExecutionDeps = {
		db,
		commits: createCommits(db),
		clock,
		log: silentLog,
		holder: "lab",
		session: "tapeline test",
		custody: fakeCustody({ byReference: async () => null, send }),
		prices,
		rpcOf: (chainId) => (chainId === CHAIN_ID ? state.rpc : null),
		kindOf: (name) => kinds.get(name) ?? null,
		steps: createSteps(null),
		kindSteps: createSteps((step, edge) => void (edge === "before" && steps.push(step))),
		profileOf: (queryable, id) => readProfile(queryable, { id }),
		newId: () => Bun.randomUUIDv7(),
		nonceClaims: createNonceClaims(),
		queueRuns: createQueueRuns(),
		looks: { underWay: new Set(), troubles: createChainTroubles(), followed: new Set() },
		audit: { append: async () => {} },
		settings: {
			get isDryRun() {
				return state.isDryRun;
			},
			limits: {
				perTradeUsdMicros: 20_000n * DOLLARS,
				walletNotionalUsdMicros: 20_000n * DOLLARS,
				dailyUsdMicros: 50_000n * DOLLARS,
				socialUsdMicros: 500n * DOLLARS,
				recipientCooldownMs: 0,
			},
			networkFeeUsdMicros: 200n * DOLLARS,
			sendTimeoutMs: 5_000,
			finalDepthBlocks: 3,
			quota: { burst: 10_000, perSecond: 1, refusedCost: 0 },
			destinations: new Set(),
			slowAfter: { defaultMs: 120_000, byChain: new Map() },
		},
	};
	const execution = createExecution(deps, (kind) => kinds.set(kind.name, kind));
	const buying = { clock, chains, rpcOf: deps.rpcOf, provider: fake.provider, prices };
	execution.register(createBuyKind(buying));
	execution.register(createOfferKind());
	execution.register(allowanceKind({ clock, rpcOf: deps.rpcOf }));
	const jobs = reconcileJobs(deps, execution);
	const links = createLinks({ ...deps, db, publicUrl: "https://app.example" });
	const signal = new AbortController().signal;

	/** Signs with the node's own key and broadcasts, as a wallet provider does. */
	async function send(request: { transaction: CustodyTransaction }): Promise<SendOutcome> {
		const { transaction } = request;
		sent.push(transaction);
		await state.beforeSend();
		const signer = nodeAccounts().find(({ address }) => address.toLowerCase() === transaction.from);
		if (!signer) throw new Error("a wallet that is none of the node's");
		const { chainId, nonce, to, valueRaw, data, gasLimit } = transaction;
		const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
		const raw = await signer.signTransaction({
			...{ chainId, nonce, to, data, maxFeePerGas, maxPriorityFeePerGas },
			value: valueRaw,
			gas: gasLimit,
		});
		const transactionHash = await anvil.rpc<Hex>("eth_sendRawTransaction", [raw]);
		return { kind: "sent", transactionHash, transactionId: null };
	}

	const origins = createOriginPolicy({ allowedOrigins: [], publicUrl: "https://app.example" });
	const wallets = {
		requireOwnPage: (request: Request, asked: Pick<Intent, "channel" | "status">) =>
			requireOwnPage(request, { origins }, asked),
		async authenticate(request: Request) {
			const bearer = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
			const profile = await readProfile(db, { id: tokens.get(bearer) ?? crypto.randomUUID() });
			if (!profile) throw httpFault.unauthorized();
			return { profile, sessionId: null };
		},
		profileOfSocial: async () => null,
		deploymentProfile: () => Promise.reject(httpFault.unauthorized()),
		async principalOf({ profileId }: Caller) {
			const profile = profileId === null ? null : await readProfile(db, { id: profileId });
			if (!profile) throw httpFault.unauthorized();
			return { profile, sessionId: null };
		},
		execution,
		once: createOnce(deps),
		cancel: (intentId: string, by: Parameters<Wallets["cancel"]>[1]) =>
			cancelForOwner(deps, links, { intentId, ...by }),
		link: async ({ id }: Intent, purpose: string) => {
			return { url: `https://app.example/${purpose}/${id}`, expiresAtMs: clock.ms + 600_000 };
		},
	};

	return {
		...{ db, anvil, seaport, deps, execution, buying, fake, prices, clock, state, sent, steps },
		...{ chains, rpc },
		wallets,
		/** One-time links over HTTP, including those that `wallets.cancel` makes. */
		linkRoutes: linkRoutes({
			...{ deps, links, execution, ending: signal, authenticate: wallets.authenticate },
			origins,
			chainOf: (id) => chains.byId(id) ?? null,
		}),
		async buyer(options: BuyerOptions = {}): Promise<Buyer> {
			const made = await insertBuyer({ db, clock, seaport }, options);
			const token = `token-${made.profile.id}`;
			tokens.set(token, made.profile.id);
			return { ...made, token };
		},
		/** Puts an ERC-721 of an account (default 2) into the provider's book. */
		async list(terms: Partial<ListingTerms> & { ether?: bigint } = {}): Promise<Listed> {
			const { seller = 2, ether = ETHER } = terms;
			const owner = seaport.accounts[seller] as Hex;
			const market = seaport.accounts[7] as Hex;
			const id = terms.token?.id ?? (await seaport.mintNft(owner));
			const listed = await sellListing({
				seller,
				token: { itemType: 2, contract: seaport.tokens.nft, id },
				payments: [
					{ recipient: owner, raw: (ether * 99n) / 100n },
					{ recipient: market, raw: ether / 100n },
				],
				nowMs: clock.ms,
				...terms,
			});
			return listed;
		},
		/** Makes the provider answer this listing for its token. */
		serve(listed: Listed): void {
			const isIt = (orderHash: Hex) => orderHash === listed.orderHash;
			fake.answers.slugOf = async () => "cats";
			fake.answers.bestListing = async () => listed.listing;
			fake.answers.order = async ({ orderHash }) => (isIt(orderHash) ? listed.listing : null);
			fake.answers.listingFulfilment = async ({ orderHash, units }) =>
				isIt(orderHash) ? listed.fulfilment(units) : null;
		},
		/** Records a request and executes it as far as possible. */
		async buy({ profile, wallet }: Buyer, listed: Listed, wish: Partial<BuyRequest> = {}) {
			const request: BuyRequest = {
				contract: (listed.listing.contract ?? "0x") as Hex,
				tokenId: String(listed.listing.tokenId),
				quantity: "1",
				priceLimitRaw: String(10n * ETHER),
				orderHash: null,
				...wish,
			};
			const [made] = await db.transaction((tx) =>
				execution.create(tx, [
					{ kind: "nft_buy", profile, wallet, chainId: CHAIN_ID, channel: "api", request },
				]),
			);
			const [intent] = await execution.advance([made?.id ?? ""], signal);
			if (!intent) throw new Error("no intent");
			return intent;
		},
		/** Advances the clock, and runs the jobs. */
		async tick(ms = 1_000): Promise<void> {
			await untilMined(anvil);
			clock.ms += ms;
			for (const job of jobs) await job.run({ signal });
		},
		async reread({ id, profileId }: Intent): Promise<Intent> {
			const intent = await execution.read(id, profileId);
			if (!intent) throw new Error("no such intent");
			return intent;
		},
		/** Returns what operators are shown as waiting for too long. */
		waiting: () => listWaiting(deps, 10),
		/** Returns what does not fit in an intent's ledger. */
		flaws: ({ id }: Intent) => readLedgerFlaws(db, [id]),
		/** Settles by an operator's word what is mined and in doubt. */
		resolveArrival: ({ id: intentId }: Intent, arrived: boolean) =>
			resolveArrival(deps, deps.audit, { intentId, arrived, actor: "olga" }),
		/** Returns an intent's reserved, spent and returned sums, in microdollars. */
		async ledger({ id }: Intent): Promise<Record<string, number>> {
			const rows = await db.query<{ kind: string; sum: number }>(
				`select kind, sum(usd_micros)::int8 as sum from wallets.spend_entry
				where intent_id = $1 group by kind`,
				[id],
			);
			return Object.fromEntries(rows.map(({ kind, sum }) => [kind, sum]));
		},
	};
}

async function insertBuyer(
	given: { db: Database; clock: { ms: number }; seaport: SeaportChain },
	options: BuyerOptions,
): Promise<{ profile: Profile; wallet: Wallet }> {
	const { db, clock, seaport } = given;
	const { account = 1, capability = "embedded/delegated" } = options;
	const id = Bun.randomUUIDv7();
	const walletId = Bun.randomUUIDv7();
	const at = new Date(clock.ms);
	await db.execute(
		`update wallets.wallet set removed_at = $2 where address = $1 and removed_at is null`,
		[hexToBytes(seaport.accounts[account] as Hex), at],
	);
	await db.execute(
		`insert into wallets.profile
			(id, require_trade_confirmation, per_trade_usd_max, daily_usd_max, created_at)
		values ($1, $2, $3, $4, $5)`,
		[
			id,
			options.requireTradeConfirmation ?? false,
			options.perTradeUsdMax ?? null,
			options.dailyUsdMax ?? null,
			at,
		],
	);
	await db.execute(
		`insert into wallets.wallet (id, profile_id, address, chain_id, capability,
			provider_wallet_id, notional_usd_max, created_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		[
			walletId,
			id,
			hexToBytes(seaport.accounts[account] as Hex),
			CHAIN_ID,
			capability,
			capability.startsWith("embedded") ? `pw-${walletId}` : null,
			options.notionalUsdMax ?? null,
			at,
		],
	);
	const profile = await readProfile(db, { id });
	const wallet = profile?.wallets[0];
	if (!profile || !wallet) throw new Error("the buyer is not there");
	return { profile, wallet };
}

/**
 * Waits for the pool to empty: with automatic mining a node mines shortly after it takes a
 * transaction.
 */
async function untilMined(anvil: Anvil): Promise<void> {
	if (!(await anvil.rpc<boolean>("anvil_getAutomine", []))) return;
	let waiting = "";
	while (waiting !== "0x0") {
		({ pending: waiting } = await anvil.rpc<{ pending: string }>("txpool_status", []));
	}
}
