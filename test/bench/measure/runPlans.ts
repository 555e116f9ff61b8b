// Measures plans of many people when collections are revealed.

import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { planBody } from "#plugins/reveal-snipe/plans/planBody.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Scope } from "#test/bench/measure/startServiceProcess.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { ETHER, openBuyLab } from "#test/harness/openBuyLab.ts";
import { openPlansLab, scriptedPlans } from "#test/harness/plans.ts";
import { deploySeaport } from "#test/harness/seaport.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";

export type ManyReveals = {
	plans: number;
	fills: number;
	/** Plans that bought nothing although there was something for them. */
	starved: number;
	/** Plans that bought more than they may. Anything but 0 is a loss. */
	exceeded: number;
	/** By the clock of the plans: until the last one had its first fill, and its last. */
	firstFillsS: number;
	allFillsS: number;
	perMinute: number;
};

/** For each reveal: from its ranks until the wallet provider has its first fill. */
export type PlanFills = { delaysMs: readonly number[]; providerMs: readonly number[] };

/** From ranks until the wallet provider has all buys of one plan. */
export type FifteenFills = { lastMs: readonly number[]; answerMs: number };

export const FILLS = 15;
const FILLS_TIMES = 5;
/** The marketplace's time for each answer. */
const FILLS_ANSWER_MS = 100;

export const REVEALED_AT_ONCE = 20;
const PER_MINUTE = 60;
const PLANS_EACH = 3;
const ITEMS = 2;
const TENTH = 10n ** 17n;
const LISTINGS_EACH = 12;
/** The clock of plans runs so much faster than ours. */
const SPEED = 20;
const TICK_MS = 10;
const LIMIT_MS = 120_000;

const REVEALS = 60;
const WARM_UP = 5;
/** The marketplace's time for each of two answers, which is subtracted. */
const ANSWER_MS = 5;

/**
 * Covers twenty collections at one moment, each with plans of several people, while the provider
 * gives 60 fulfilments a minute for all of them. Counted by ledger and fills.
 */
export async function runManyReveals({ scope }: { scope: Scope }): Promise<ManyReveals> {
	const database = await createTestDatabase();
	const drop = scope.defer(database.drop);
	const lab = openExecutionLab(database.db);
	for (let block = 0; block < 4; block++) lab.chain.mine();
	const books = new Map<number, TokenListing[]>();
	for (let id = 1; id <= REVEALED_AT_ONCE; id++) books.set(id, bookOf(id));
	const { plans, evaluator } = scriptedPlans(lab, { listings: (id) => books.get(id) ?? [] });
	let armed = 0;
	for (let place = 0; place < REVEALED_AT_ONCE; place++) {
		const by = await lab.person({ capability: "embedded/delegated" });
		for (let other = 0; other < PLANS_EACH; other++) {
			const id = ((place + other) % REVEALED_AT_ONCE) + 1;
			const body = planBody.parse({
				...{ collectionSlug: `collection-${id}`, maxRank: 100, maxItems: ITEMS },
				...{ maxPricePerItemNative: "0.4", budgetNative: "0.5", walletId: by.wallet.id },
			});
			const principal = { profile: by.profile, sessionId: null };
			await plans.arm({ principal, body, route: "bench", idempotencyKey: null, isProposed: false });
			armed++;
		}
	}
	const beganMs = lab.clock.ms;
	const clock = setInterval(() => {
		lab.clock.ms += TICK_MS * SPEED;
	}, TICK_MS);
	const stopClock = scope.defer(async () => clearInterval(clock));
	const one = evaluator(PER_MINUTE);
	const covered = [...books.keys()].map((collectionId) =>
		one.covered({ id: collectionId, collectionId }, AbortSignal.timeout(LIMIT_MS)),
	);
	await Promise.all(covered);
	await stopClock();
	const read = await judge(lab, beganMs);
	await drop();
	return { ...read, plans: armed, starved: armed - read.bought, perMinute: PER_MINUTE };
}

/**
 * Evaluates a plan as a burst does that has just ranked a collection, on a real node with the real
 * marketplace, and times its first fill: until the wallet provider has it. The marketplace
 * provider's time for its answers is subtracted.
 */
export async function runPlanFills({ scope }: { scope: Scope }): Promise<PlanFills> {
	const database = await createTestDatabase();
	const drop = scope.defer(database.drop);
	const anvil = await startAnvil();
	const stop = scope.defer(anvil.stop);
	const seaport = await deploySeaport(anvil);
	const delaysMs: number[] = [];
	const providerMs: number[] = [];
	for (let turn = 0; turn < WARM_UP + REVEALS; turn++) {
		const plans = await openPlansLab(openBuyLab({ db: database.db, anvil, seaport }));
		const by = await plans.buyer();
		for (let rank = 1; rank <= 3; rank++) await plans.sell({ ether: ETHER / 10n, rank });
		const plan = await plans.armed(by, { maxItems: 1 });
		const { answers } = plans.lab.fake;
		let tookMs = 0;
		const timed =
			<Asked extends unknown[], Answer>(answer: (...asked: Asked) => Promise<Answer>) =>
			async (...asked: Asked): Promise<Answer> => {
				const beganMs = performance.now();
				await Bun.sleep(ANSWER_MS);
				return answer(...asked).finally(() => {
					tookMs += performance.now() - beganMs;
				});
			};
		answers.order = timed(answers.order);
		answers.listingFulfilment = timed(answers.listingFulfilment);
		let handedOverMs = Number.NaN;
		plans.lab.state.beforeSend = async () => {
			handedOverMs = performance.now();
		};
		const rankedMs = performance.now();
		await plans.covered();
		const { fills } = await plan.read();
		if (fills.length !== 1 || fills[0].status !== "submitted") {
			throw new Error(`the plan did not buy: ${JSON.stringify(fills)}`);
		}
		if (turn < WARM_UP) continue;
		delaysMs.push(handedOverMs - rankedMs - tookMs);
		providerMs.push(tookMs);
	}
	await stop();
	await drop();
	return { delaysMs, providerMs };
}

/**
 * Has one plan buy fifteen tokens on a real node with the real marketplace, whose provider takes
 * its time for each answer, and times until the wallet provider has the last.
 */
export async function runFifteenFills({ scope }: { scope: Scope }): Promise<FifteenFills> {
	const database = await createTestDatabase();
	const drop = scope.defer(database.drop);
	const anvil = await startAnvil();
	const stop = scope.defer(anvil.stop);
	const seaport = await deploySeaport(anvil);
	const lastMs: number[] = [];
	for (let turn = 0; turn < FILLS_TIMES; turn++) {
		const plans = await openPlansLab(openBuyLab({ db: database.db, anvil, seaport }));
		const by = await plans.buyer();
		for (let rank = 1; rank <= FILLS; rank++) await plans.sell({ ether: ETHER / 10n, rank });
		const plan = await plans.armed(by, { maxItems: FILLS });
		const { answers } = plans.lab.fake;
		const { order, listingFulfilment } = answers;
		answers.order = async (...asked) => {
			await Bun.sleep(FILLS_ANSWER_MS);
			return order(...asked);
		};
		answers.listingFulfilment = async (...asked) => {
			await Bun.sleep(FILLS_ANSWER_MS);
			return listingFulfilment(...asked);
		};
		let handedOverMs = Number.NaN;
		plans.lab.state.beforeSend = async () => {
			handedOverMs = performance.now();
		};
		const rankedMs = performance.now();
		await plans.covered();
		const { filledCount } = await plan.read();
		if (filledCount !== FILLS) throw new Error(`the plan bought ${filledCount} of ${FILLS}`);
		lastMs.push(handedOverMs - rankedMs);
	}
	await stop();
	await drop();
	return { lastMs, answerMs: FILLS_ANSWER_MS };
}

/** Returns a book with some listings too dear, and more of the others than fit a budget. */
function bookOf(collectionId: number): TokenListing[] {
	return Array.from({ length: LISTINGS_EACH }, (_, place) => ({
		...{ tokenId: String(place + 1), rank: place + 1, traits: [], quantity: 1n, symbol: "ETH" },
		...{ currency: ZERO_ADDRESS, totalRaw: BigInt(2 + (place % 4)) * TENTH },
		maker: `0x${"a".repeat(40)}` as const,
		orderHash: `0x${(collectionId * 1_000 + place).toString(16).padStart(64, "0")}` as const,
	}));
}

async function judge({ db }: Lab, beganMs: number) {
	const [row] = await db.query<Record<string, number>>(
		`with held as (
			select p.id, p.budget_raw, p.max_items, f.created_at, f.price_raw, coalesce((
				select sum(case when e.kind in ('reserve', 'unrelease') then e.amount_raw
					when e.kind = 'release' then -e.amount_raw else 0 end)
				from wallets.spend_entry as e where e.intent_id = f.intent_id), 0) as raw
			from reveal_snipe.plan as p join reveal_snipe.fill as f on f.plan_id = p.id
		), each as (
			select id, sum(raw) > max(budget_raw) or count(*) filter (where raw > 0) > max(max_items)
				or bool_or(raw > price_raw) as exceeded, min(created_at) as first, max(created_at) as last,
				count(*) filter (where raw > 0)::int4 as fills
			from held group by id
		)
		select count(*) filter (where fills > 0)::int4 as bought,
			coalesce(sum(fills), 0)::int4 as fills, count(*) filter (where exceeded)::int4 as exceeded,
			extract(epoch from max(first))::float8 * 1000 as first,
			extract(epoch from max(last))::float8 * 1000 as last from each`,
	);
	const { bought = 0, fills = 0, exceeded = 0, first = 0, last = 0 } = row ?? {};
	const seconds = (ms: number) => (ms - beganMs) / 1_000;
	return { bought, fills, exceeded, firstFillsS: seconds(first), allFillsS: seconds(last) };
}
