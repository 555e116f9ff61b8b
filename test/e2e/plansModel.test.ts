import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { checkPlans } from "#plugins/reveal-snipe/plans/checkPlans.ts";
import { makeFill } from "#plugins/reveal-snipe/plans/evaluatePlan.ts";
import { planBody } from "#plugins/reveal-snipe/plans/planBody.ts";
import { takeEvaluation } from "#plugins/reveal-snipe/sql/plans.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import type { Mood } from "#plugins/wallets/testing/createScriptedCustody.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { ScriptedTransaction } from "#plugins/wallets/testing/scriptedChain.ts";
import { scriptedPlans } from "#test/harness/plans.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";

// Guarantee: whatever buys do, in whatever order, with two evaluators, crashes and reorgs: no fill
// exceeds a plan's ceiling, budget or count, no token is bought while it is being bought, and what
// a plan reports as spent is what the ledger holds and the chain has.

const SEED = Number(process.env.PLANS_SEED ?? 31);
const RUNS = Number(process.env.PLANS_RUNS ?? 30);
const TENTH = 10n ** 17n;
const CEILING = 5n * TENTH;

/** The bounds of a run's plan: one kind is short of money, the other of items. */
type Terms = { budgetRaw: bigint; items: number };
const arbitraryTerms: fc.Arbitrary<Terms> = fc.constantFrom(
	{ budgetRaw: 12n * TENTH, items: 6 },
	{ budgetRaw: 40n * TENTH, items: 2 },
);

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

const moods: readonly Mood[] = [
	...(["sends", "sends, silent", "loses", "refuses", "refuses, signed", "keeps, silent"] as const),
];
const denials = ["listing_gone", "rate_limited", "daily_limit", "price_limit_exceeded"] as const;

type Step =
	| { kind: "list"; token: number; rank: number; tenths: number }
	| { kind: "covered" | "both" | "settle" | "dies" | "node" | "drift" | "pause" | "resume" }
	| { kind: "mood"; mood: Mood }
	| { kind: "deny"; code: string }
	| { kind: "mine"; reverts: boolean }
	| { kind: "reorg"; depth: number; forgets: boolean }
	| { kind: "time"; ms: number };

const arbitraryStep: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant("list" as const),
			token: fc.integer({ min: 1, max: 6 }),
			rank: fc.integer({ min: 1, max: 12 }),
			tenths: fc.integer({ min: 1, max: 6 }),
		}),
	},
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constantFrom("covered", "both", "both", "settle", "dies", "node"),
		}) as fc.Arbitrary<Step>,
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constantFrom("drift", "pause", "resume", "resume"),
		}) as fc.Arbitrary<Step>,
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant("mood" as const),
			mood: fc.constantFrom(...moods),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant("deny" as const),
			code: fc.constantFrom(...denials),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({ kind: fc.constant("mine" as const), reverts: fc.boolean() }),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant("reorg" as const),
			depth: fc.integer({ min: 1, max: 3 }),
			forgets: fc.boolean(),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant("time" as const),
			ms: fc.constantFrom(1_000, 20_000, 130_000, 700_000),
		}),
	},
);

const arbitrarySteps = fc.array(arbitraryStep, { minLength: 8, maxLength: 40 });

type World = Awaited<ReturnType<typeof openWorld>>;

async function openWorld(terms: Terms) {
	const { db } = database;
	await db.execute("truncate wallets.profile, reveal_snipe.plan, reveal_snipe.watch cascade");
	const lab = openExecutionLab(db);
	// No reorg reaches the first block.
	for (let block = 0; block < 4; block++) lab.chain.mine();
	const by = await lab.person({ capability: "embedded/delegated" });
	const script = { denials: [] as string[] };
	const listings: TokenListing[] = [];
	const made = { fills: 0 };
	const { context, plans, evaluator } = scriptedPlans(lab, {
		listings: () => listings,
		denials: script.denials,
		async onCreate(tx, intents) {
			for (const { request } of intents) await expectRoom(tx, request, terms);
			made.fills++;
			return lab.execution.create(tx, intents);
		},
	});
	const body = planBody.parse({
		...{ collectionSlug: "collection-1", maxRank: 10, maxItems: terms.items },
		...{
			maxPricePerItemNative: "0.5",
			budgetNative: String(Number(terms.budgetRaw) / 1e18),
			walletId: by.wallet.id,
		},
	});
	const response = await plans.arm({
		principal: { profile: by.profile, sessionId: null },
		...{ body, route: "test", idempotencyKey: null, isProposed: false },
	});
	const { id } = (await response.json()) as { id: string };
	return {
		lab,
		by,
		context,
		plans,
		evaluators: [evaluator(), evaluator()],
		listings,
		script,
		made,
		id,
	};
}

const requestSchema = z.object({ tokenId: z.string(), priceLimitRaw: z.string() });

/**
 * Checks that a fill has room before it is made, counted independently from intents and ledger
 * alone.
 */
async function expectRoom(tx: Tx, request: unknown, terms: Terms): Promise<void> {
	const { tokenId, priceLimitRaw } = requestSchema.parse(request);
	const rows = await tx.query<{ token: string; open: boolean; limit: string; held: string }>(
		`select i.request->>'tokenId' as token, i.request->>'priceLimitRaw' as limit,
			i.status not in ('rejected', 'confirmed', 'failed', 'expired', 'dry_run') as open,
			coalesce((select sum(case when e.kind in ('reserve', 'unrelease') then e.amount_raw
				when e.kind = 'release' then -e.amount_raw else 0 end)
				from wallets.spend_entry as e where e.intent_id = i.id), 0)::text as held
		from wallets.intent as i where i.kind = 'nft_buy'`,
	);
	const of = ({ open, limit, held }: (typeof rows)[number]) => {
		return open && BigInt(limit) > BigInt(held) ? BigInt(limit) : BigInt(held);
	};
	const taken = rows.filter((row) => of(row) > 0n);
	const committed = taken.reduce((sum, row) => sum + of(row), 0n);
	const price = BigInt(priceLimitRaw);
	const tokens = new Set(taken.map(({ token }) => token));
	expect(price).toBeLessThanOrEqual(CEILING);
	expect(committed + price).toBeLessThanOrEqual(terms.budgetRaw);
	expect(tokens.size + 1).toBeLessThanOrEqual(terms.items);
	expect(tokens.has(tokenId)).toBe(false);
}

let hashes = 0;

const acts: {
	[Kind in Step["kind"]]: (world: World, step: Extract<Step, { kind: Kind }>) => unknown;
} = {
	list({ listings }, { token, rank, tenths }) {
		listings.push({
			...{ tokenId: String(token), rank, traits: [], quantity: 1n, symbol: "ETH" },
			...{ currency: ZERO_ADDRESS, totalRaw: BigInt(tenths) * TENTH },
			maker: `0x${"a".repeat(40)}` as Address,
			orderHash: `0x${(++hashes).toString(16).padStart(64, "0")}`,
		});
	},
	covered: ({ evaluators, lab }) => evaluators[0]?.covered({ id: 1, collectionId: 1 }, lab.signal),
	async both({ evaluators, lab }) {
		lab.clock.ms += 15_000;
		await Promise.all(evaluators.map((one) => one.begin()));
		await Promise.all(evaluators.map((one) => one.ended()));
	},
	settle: ({ lab }) => lab.tick(5_000),
	/** A process makes a fill and dies before it carries it out, while it holds its lease. */
	async dies({ context, lab, by, listings, id }) {
		const gone = { id, session: "a process that is gone", durationMs: 120_000 };
		const token = await takeEvaluation(context.core.db, gone);
		const profile = await readProfile(context.core.db, { id: by.profile.id });
		if (token === null || !profile) return;
		const candidates = listings.slice(-3).filter(({ rank }) => (rank ?? 99) <= 10);
		const all = candidates.map((listing) => {
			const candidate = { ...listing, priceRaw: listing.totalRaw };
			return makeFill(context, { planId: id, token, candidate, profile });
		});
		await Promise.all(all);
		lab.clock.ms += 1_000;
	},
	/** No node answers while plans are evaluated. */
	async node(world) {
		world.lab.chain.state.isDown = true;
		await acts.both(world, { kind: "both" } as never);
		world.lab.chain.state.isDown = false;
	},
	async drift({ context, lab, by }) {
		const changed = "update wallets.wallet set revision = revision + 1 where id = $1";
		await context.core.db.execute(changed, [by.wallet.id]);
		await checkPlans(context, lab.signal);
	},
	pause: (world) => moved(world, "pause"),
	resume: (world) => moved(world, "resume"),
	mood: ({ lab }, { mood }) => void lab.moods.push(mood),
	deny: ({ script }, { code }) => void script.denials.push(code),
	async mine({ lab }, { reverts }) {
		for (const one of lab.chain.pool()) (one as ScriptedTransaction).reverts = reverts;
		lab.chain.mine();
		await lab.tick(2_000);
	},
	async reorg({ lab }, { depth, forgets }) {
		lab.chain.reorg({ depth, forgets });
		await lab.tick(5_000);
	},
	time: ({ lab }, { ms }) => lab.tick(ms),
};

async function moved({ plans, by, id, lab, context }: World, event: "pause" | "resume") {
	const profile = await readProfile(context.core.db, { id: by.profile.id });
	if (!profile) throw new Error("the profile is gone");
	const refused = (error: { code?: string }) => {
		if (error.code !== "plan_state") throw error;
	};
	await plans.move(profile, id, { event, signal: lab.signal }).catch(refused);
}

/**
 * Checks that what the plan reports as spent is what the ledger holds, and no less than what the
 * chain has.
 */
async function expectBooks({ plans, by, id, lab, context }: World): Promise<void> {
	const view = await plans.view(by.profile, id);
	const [row] = await context.core.db.query<{ held: string }>(
		`select coalesce(sum(case when kind in ('reserve', 'unrelease') then amount_raw
			when kind = 'release' then -amount_raw else 0 end), 0)::text as held
		from wallets.spend_entry where profile_id = $1`,
		[by.profile.id],
	);
	expect(view.spentRaw).toBe(row?.held ?? "");
	expect(view.fills.every(({ priceRaw }) => BigInt(priceRaw) <= CEILING)).toBe(true);
	expect(new Set(view.fills.map(({ tokenId }) => tokenId)).size).toBe(view.fills.length);
	expect(lab.handed.length).toBe(new Set(lab.handed.map(({ referenceId }) => referenceId)).size);
}

/**
 * Checks, once the chain stands still, that each confirmed buy was paid on chain, once, and nothing
 * else was.
 */
async function expectChain(world: World): Promise<void> {
	const { lab, by, plans, id, context } = world;
	await moved(world, "pause");
	for (let turn = 0; turn < 6; turn++) {
		await acts.mine(world, { kind: "mine", reverts: false });
		await lab.tick(30_000);
	}
	await expectBooks(world);
	const rows = await context.core.db.query<{ limit: string }>(
		`select request->>'priceLimitRaw' as limit from wallets.intent
		where kind = 'nft_buy' and status = 'confirmed'`,
	);
	const confirmed = rows.reduce((sum, { limit }) => sum + BigInt(limit), 0n);
	expect(await paidOn(lab)).toBe(confirmed);
	const view = await plans.view(by.profile, id);
	expect(BigInt(view.spentRaw)).toBeGreaterThanOrEqual(confirmed);
}

async function paidOn({ chain }: Lab): Promise<bigint> {
	const head = Number(await chain.rpc.call({ method: "eth_blockNumber", params: [] }, {}));
	let paid = 0n;
	for (let at = 0; at <= head; at++) {
		const params = [`0x${at.toString(16)}`, true];
		const block = await chain.rpc.call({ method: "eth_getBlockByNumber", params }, {});
		const { transactions } = block as { transactions: { hash: Hex; value: Hex }[] };
		for (const { hash, value } of transactions) {
			const asked = { method: "eth_getTransactionReceipt", params: [hash] };
			const { status } = (await chain.rpc.call(asked, {})) as { status: Hex };
			paid += status === "0x1" ? BigInt(value) : 0n;
		}
	}
	return paid;
}

test(
	`[RVL-07] no buy exceeds ceiling, budget or count (PLANS_SEED=${SEED})`,
	async () => {
		let fills = 0;
		await fc.assert(
			fc.asyncProperty(arbitraryTerms, arbitrarySteps, async (terms, steps) => {
				const world = await openWorld(terms);
				const begin: Step[] = [
					{ kind: "list", token: 1, rank: 1, tenths: 4 },
					{ kind: "list", token: 2, rank: 2, tenths: 3 },
					{ kind: "covered" },
				];
				for (const step of [...begin, ...steps]) {
					await acts[step.kind](world, step as never);
					await expectBooks(world);
				}
				await expectChain(world);
				fills += world.made.fills;
			}),
			{ seed: SEED, numRuns: RUNS },
		);
		// Runs without fills would prove nothing.
		expect(fills).toBeGreaterThan(RUNS);
	},
	5 * TEST_LIMIT_MS,
);
