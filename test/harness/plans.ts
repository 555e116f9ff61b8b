// Opens plans that buy at a reveal, on a scripted chain or over the buy lab.

import { afterAll, beforeAll } from "bun:test";
import type { Hex } from "viem";
import { z } from "zod";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { httpFault } from "#core/http/faults.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { type Log, silentLog } from "#core/log.ts";
import { createSteps } from "#core/steps.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { createBookReads } from "#plugins/market-index/orderBook.ts";
import { readRevealSubjects } from "#plugins/market-index/tokens/sql/ranks.ts";
import type { PlansContext } from "#plugins/reveal-snipe/model.ts";
import { createEvaluator } from "#plugins/reveal-snipe/plans/createEvaluator.ts";
import { createPlans } from "#plugins/reveal-snipe/plans/createPlans.ts";
import { createDryRuns } from "#plugins/reveal-snipe/plans/dryRun.ts";
import { snipeRoutes } from "#plugins/reveal-snipe/routes/snipeRoutes.ts";
import type { IntentKind } from "#plugins/wallets/contract.ts";
import { continueQueued } from "#plugins/wallets/execution/continueQueued.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import type { Lab } from "#plugins/wallets/testing/executionLab.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import {
	type Buyer,
	type BuyerOptions,
	type BuyLab,
	CHAIN_ID,
	openBuyLab,
} from "#test/harness/openBuyLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import type { Listed } from "#test/harness/sellListing.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

export type PlansLab = Awaited<ReturnType<typeof openPlansLab>>;

export type ScriptedPlansOptions = {
	/** Returns the listings of a collection; `collection-7` is the seventh. */
	listings(collectionId: number): readonly TokenListing[];
	/** Error codes with which the next buys are refused, in order. */
	denials?: string[];
	/** Called in the transaction that records intents. */
	onCreate?: PlansContext["wallets"]["execution"]["create"];
};

type Call = { method?: string; body?: unknown; by?: Buyer; key?: string; origin?: string };

const requestSchema = z.object({ priceLimitRaw: z.string() });

/** Opens plans over the execution path, with a scripted chain, and no marketplace. */
export function scriptedPlans(lab: Lab, options: ScriptedPlansOptions) {
	const { listings, denials = [], onCreate } = options;
	const chains = createChainRegistry(builtinChains);
	lab.execution.register(buyKind(lab, denials));
	const context: PlansContext = {
		core: { db: lab.db, clock: lab.clock, log: silentLog, chains, session: "tapeline test" },
		served: chains.all.filter(({ id }) => id === CHAIN_ID),
		market: {
			find: async (slug) => {
				const id = Number(slug.replace("collection-", ""));
				return { id, chain: "anvil", address: `0x${String(id).padStart(40, "c")}`, slug };
			},
			touch() {},
			reveals: { subjects: async () => [] },
			book: {
				listings: async (id) => [...listings(id)],
				watch: async () => {},
				follow: async () => {},
				traitValues: async () => [],
				floor: async () => null,
				readAt: async () => null,
				normaliseTrait: (text) => text,
			},
		},
		wallets: {
			async principalOf({ profileId }) {
				const profile = profileId && (await readProfile(lab.db, { id: profileId }));
				if (!profile) throw httpFault.unauthorized();
				return { profile, sessionId: null };
			},
			once: lab.once,
			execution: { ...lab.execution, ...(onCreate && { create: onCreate }) },
		},
		steps: createSteps(null),
		isOn: true,
	};
	return {
		context,
		plans: createPlans(context),
		/** Makes an evaluator as in another process: its own turns, the same database. */
		evaluator: (fillsPerMinute = 600) =>
			createEvaluator(context, {
				budget: inProcessBudget({ clock: lab.clock }),
				fillsPerMinute,
				ending: lab.signal,
			}),
	};
}

/**
 * Gives a test file a database, a node and the marketplace, and ends them after it. Returns a
 * function that opens a lab of plans over them, with a buyer; each test opens its own.
 */
export function usePlans(): () => Promise<{ plans: PlansLab; by: Buyer }> {
	let database: TestDatabase;
	let anvil: Anvil;
	let seaport: SeaportChain;
	beforeAll(async () => {
		[database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
		seaport = await deploySeaport(anvil);
	});
	afterAll(async () => {
		await anvil?.stop();
		await database?.drop();
	});
	return async () => {
		const plans = await openPlansLab(openBuyLab({ db: database.db, anvil, seaport }));
		return { plans, by: await plans.buyer() };
	};
}

/**
 * Opens plans over a buy lab: one collection of the index (the lab's ERC-721), whose tokens and
 * book the test fills, and the routes of plans.
 */
export async function openPlansLab(lab: BuyLab, { log = silentLog }: { log?: Log } = {}) {
	const { db, seaport, clock } = lab;
	const contract = seaport.tokens.nft;
	const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex");
	await db.execute(
		"truncate reveal_snipe.plan, reveal_snipe.watch, reveal_snipe.detection, reveal_snipe.kept_book cascade",
	);
	// The nonce queue of an earlier lab's wallet would never continue.
	await db.execute("truncate wallets.profile cascade");
	await db.execute(
		`truncate market_index.collection, market_index.market_order, market_index.token,
			market_index.trait_count cascade`,
	);
	const [collection] = await db.query<{ id: number }>(
		`insert into market_index.collection (chain_id, address, standard, slug, reveal_state)
		values ($1, $2, 'erc721', 'tidal-cats', 'placeholder') returning id`,
		[CHAIN_ID, bytes(contract)],
	);
	const collectionId = collection?.id ?? 0;
	const served = lab.chains.all.filter(({ id }) => id === CHAIN_ID);
	const [chain] = served;
	if (!chain) throw new Error("the chain of the lab is known");
	const touched: number[] = [];
	const context: PlansContext = {
		core: { db, clock, log, chains: lab.chains, session: "tapeline test" },
		served,
		market: {
			async find(slug) {
				if (slug !== "tidal-cats" && slug !== contract) throw httpFault.notFound();
				return { id: collectionId, chain: chain.slug, address: contract, slug: "tidal-cats" };
			},
			touch: (id) => void touched.push(id),
			book: createBookReads(db),
			reveals: { subjects: (ids, within) => readRevealSubjects(within ?? db, ids) },
		},
		wallets: lab.wallets,
		steps: createSteps(null),
		isOn: true,
	};
	const plans = createPlans(context);
	const ending = new AbortController().signal;
	const app = testHttpApp({
		routes: [
			snipeRoutes({ plans, dryRuns: createDryRuns(context, plans), wallets: lab.wallets, ending }),
		],
		clock,
	});
	const onSale = new Map<Hex, Listed>();
	/** Makes an evaluator as in another process: its own turns, the same database. */
	const evaluator = (fillsPerMinute = 600) =>
		createEvaluator(context, { budget: inProcessBudget({ clock }), fillsPerMinute, ending });

	/** Hands over what waits in the wallets' nonce queues: of several buys at once some do. */
	async function handedOver(): Promise<void> {
		const queues = await db.query<{ walletId: string; chainId: number }>(
			`select distinct wallet_id as "walletId", chain_id as "chainId" from wallets.submission
			where state in ('queued', 'sending')`,
		);
		for (const queue of queues) await continueQueued(lab.deps, { ...queue, signal: ending });
	}

	return {
		...{ lab, db, clock, context, plans, collectionId, contract, touched, app, signal: ending },
		...{ evaluator, onSale },
		/**
		 * Reports that the collection is revealed, read and ranked, so that its plans are evaluated.
		 */
		async covered(id = 0) {
			await evaluator().covered({ id, collectionId }, ending);
			await handedOver();
		},
		/** Advances the clock, and evaluates what is due after the reveal. */
		async again(ms = 15_000) {
			await lab.tick(ms);
			const one = evaluator();
			await one.begin();
			await one.ended();
			await handedOver();
		},
		/** Arms a plan; returns its id and a function that reads it. */
		async armed(by: Buyer, change: Record<string, unknown> = {}) {
			const { status, body } = await this.call("/snipes", { body: planBodyOf(change), by });
			if (status !== 201) throw new Error(JSON.stringify(body));
			const id = body.id as string;
			return { id, read: async () => (await this.call(`/snipes/${id}`, { by })).body };
		},
		/** Returns a buyer whose wallet the service may send from. */
		buyer: (options: BuyerOptions = {}) => lab.buyer(options),
		/** Makes a request; `body` may be JSON text. */
		async call(path: string, { method, body, by, key, origin }: Call = {}) {
			const headers = new Headers();
			if (by) headers.set("authorization", `Bearer ${by.token}`);
			if (key !== undefined) headers.set("idempotency-key", key);
			if (origin !== undefined) headers.set("origin", origin);
			if (body !== undefined) headers.set("content-type", "application/json");
			const response = await app.handle(
				new Request(`http://localhost/v1/nft-market${path}`, {
					method: method ?? (body === undefined ? "GET" : "POST"),
					headers,
					...(body !== undefined && {
						body: typeof body === "string" ? body : JSON.stringify(body),
					}),
				}),
			);
			const text = await response.text();
			return { status: response.status, headers: response.headers, body: JSON.parse(text) as any };
		},
		/** Stores the index's data about a token. */
		async know(tokenId: bigint, rank: number | null, traits: Record<string, string> = {}) {
			const told = Object.entries(traits).map(([type, value]) => ({ type, value }));
			await db.execute(
				`insert into market_index.token (collection_id, token_id, rank, traits, source)
				values ($1, $2, $3, $4::jsonb, 'chain')
				on conflict (collection_id, token_id) do update set rank = $3, traits = $4::jsonb`,
				[collectionId, tokenId, rank, JSON.stringify(told)],
			);
			for (const { type, value } of told) {
				await db.execute(
					`insert into market_index.trait_count (collection_id, trait_type, value, tokens)
					values ($1, $2, $3, 1) on conflict do nothing`,
					[collectionId, type, value],
				);
			}
		},
		/** Puts a token up for sale, in the index's book and at the provider. */
		async sell(given: {
			ether: bigint;
			rank: number | null;
			traits?: Record<string, string>;
			tokenId?: bigint;
			seller?: number;
		}) {
			const { ether, rank, traits, tokenId, seller = 2 } = given;
			const token = tokenId && { itemType: 2 as const, contract, id: tokenId };
			const listed = await lab.list({ ether, seller, ...(token && { token }) });
			const id = listed.listing.tokenId ?? 0n;
			if (tokenId === undefined) await this.know(id, rank, traits);
			await this.book(listed);
			onSale.set(listed.orderHash, listed);
			lab.fake.answers.slugOf = async () => "tidal-cats";
			lab.fake.answers.order = async ({ orderHash }) => onSale.get(orderHash)?.listing ?? null;
			lab.fake.answers.listingFulfilment = async ({ orderHash, units }) =>
				onSale.get(orderHash)?.fulfilment(units) ?? null;
			return { tokenId: String(id), listed };
		},
		/** Removes a listing from the provider's book; the index does not know it yet. */
		withdraw: ({ orderHash }: Listed) => void onSale.delete(orderHash),
		/** Puts a listing into the index's book. */
		async book({ listing }: Listed, change: { currency?: Hex } = {}) {
			await db.execute(
				`insert into market_index.market_order (collection_id, order_hash, kind, is_active,
					generation, token_id, maker, quantity, currency, symbol, decimals, total_raw,
					unit_native, seen_at)
				values ($1, $2, 0, true, 1, $3, $4, $5, $6, 'ETH', 18, $7, $7, now())
				on conflict do nothing`,
				[
					...[collectionId, bytes(listing.orderHash), listing.tokenId, bytes(listing.maker)],
					...[listing.quantity, bytes(change.currency ?? listing.currency ?? "0x")],
					listing.totalRaw,
				],
			);
		},
	};
}

/** Returns a plan's body; undefined members are left out. */
export function planBodyOf(change: Record<string, unknown> = {}) {
	return {
		collectionSlug: "tidal-cats",
		trigger: "on_reveal",
		maxRank: 200,
		maxPricePerItemNative: 0.4,
		budgetNative: 2,
		maxItems: 5,
		...change,
	};
}

/** Returns a kind of buy whose plan is its request, or the test's next denial. */
function buyKind(lab: Lab, denials: string[]): IntentKind<unknown> {
	return {
		name: "nft_buy",
		plugin: "lab",
		request: z.unknown(),
		steps: [],
		deny: () => null,
		settle: async () => null,
		async prepare(intent, { wallet }) {
			const code = denials.shift();
			if (code) return { kind: "denied", denial: { code, detail: code } };
			const raw = BigInt(requestSchema.parse(intent.request).priceLimitRaw);
			const data = `0x${intent.id.replaceAll("-", "")}` as const;
			return {
				kind: "plan",
				plan: {
					...{
						chainId: CHAIN_ID,
						from: wallet.address,
						to: `0x${"5".repeat(40)}`,
						valueRaw: raw,
					},
					...{ data, recipient: null, shown: {}, expiresAtMs: lab.clock.ms + 300_000 },
					spend: { currency: ZERO_ADDRESS, raw, decimals: 18, symbol: "ETH" },
				},
			};
		},
	};
}
