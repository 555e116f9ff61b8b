import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import { tradeSteps } from "#plugins/trading/swap/prepareSwap.ts";
import { allowanceSteps } from "#plugins/wallets/allowance.ts";
import type { Answer } from "#test/e2e/kills/openKillLane.ts";
import {
	allowedRaw,
	movedSince,
	openTradeLane,
	type TradeLane,
} from "#test/e2e/kills/openTradeLane.ts";
import type { KillPoint } from "#test/e2e/kills/startKillable.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";

// Guarantee: wherever a process dies while a trade goes from its command to its receipt, the next
// one finishes it: at most one swap, and books, allowance and answers that agree with the chain.

const isProving = process.env["PROVE"] === "1";
const COMMAND = "buy TSLA with 50 USDG";
const SPENT_RAW = 50_000_000n;
/** Older than a quote may be: it is quoted again between the allowance and the swap. */
const QUOTE_OLD_MS = 31_000;
const TURN_MS = 1_100;
const LONG_TURN_MS = 6_000;
const LATER_MS = 40_000;
const SLOW_TURNS = 8;
const TURNS_MAX = 120;
const ASKS_MAX = 40;
const PAUSE_MS = 20;
const ENDED = /^(confirmed|failed|rejected|expired)$/;
/** Steps that a trade must reach, or the kills would prove nothing. */
const STEPS = [
	...[...tradeSteps, ...allowanceSteps, "commit.create", "commit.first", "commit.resume"],
	...["commit.decide", "custody.send", "commit.outcome", "commit.found"],
];
/** Where `bun run test` kills: at the hand-over of allowance and swap, and between the two. */
const IN_TEST: readonly KillPoint[] = [
	{ step: "commit.create", edge: "after", nth: 1 },
	{ step: "commit.first", edge: "after", nth: 1 },
	{ step: "custody.send", edge: "after", nth: 1 },
	{ step: "commit.resume", edge: "after", nth: 1 },
	{ step: "trade.quote", edge: "after", nth: 1 },
	{ step: "custody.send", edge: "before", nth: 2 },
	{ step: "custody.send", edge: "after", nth: 2 },
];
/** Up to which repetition of the same edge a process dies. */
const NTH_MAX = 3;
/** Trades until a process comes by a point: whether one does depends on when a block comes. */
const TRIES_MAX = 4;

let lane: TradeLane;
beforeAll(async () => {
	lane = await openTradeLane();
});
afterAll(() => lane?.stop());

type Played = {
	key: string;
	deaths: number;
	trade: any;
	answer: Answer;
	/** How often the last process came to each edge (before or after a step). */
	reached: Record<string, number>;
};

/** Asks for a trade and drives it to its end, through a death at the point. */
async function play(point: KillPoint | null, hasConfirmation: boolean): Promise<Played> {
	await ask(hasConfirmation);
	const key = crypto.randomUUID();
	await lane.arm(point);
	for (let deaths = 0; ; deaths++) {
		try {
			return { key, deaths, ...(await drive(key)) };
		} catch (error) {
			if (!(await lane.hasDied())) throw error;
			await lane.revive();
			await lane.arm(null);
		}
	}
}

/** Sets whether the owner is asked before anything is sent. */
async function ask(isOn: boolean): Promise<void> {
	await lane.db.execute("update wallets.profile set require_trade_confirmation = $1", [isOn]);
}

/** Drives a trade from any state to its end. Nothing is mined until the first quote is too old. */
async function drive(key: string): Promise<Omit<Played, "key" | "deaths">> {
	const release = lane.world.holdMining();
	try {
		const answer = await askUntilAnswered(key);
		const { id } = answer.body;
		await confirm(id);
		await lane.tick(QUOTE_OLD_MS);
		release();
		const trade = await untilEnded(id);
		await lane.custody.idle();
		// What the wallet provider still does late then shows on the chain.
		const reached = await lane.tick(LATER_MS);
		const after = await lane.ask(`/v1/trading/intents/${id}`);
		if (after.body.status !== trade.status) return { answer, reached, trade: await untilEnded(id) };
		return { answer, reached, trade: after.body };
	} finally {
		release();
	}
}

async function askUntilAnswered(key: string): Promise<Answer> {
	for (let times = 0; times < ASKS_MAX; times++) {
		const answer = await lane.ask("/v1/trading/intents", { body: { command: COMMAND }, key });
		if (answer.status === 201) return answer;
		// 409 only until the database has noticed that the process that held the key is gone.
		if (answer.status !== 409) throw new Error(`not asked: ${answer.text}`);
		await Bun.sleep(PAUSE_MS);
	}
	throw new Error("a request is under way for ever");
}

async function confirm(id: string): Promise<void> {
	const trade = await lane.ask(`/v1/trading/intents/${id}`);
	const isAsking = /^(confirmation_required|waiting)$/.test(trade.body.status);
	if (!isAsking) return;
	const confirmed = await lane.ask(`/v1/trading/intents/${id}/confirm`, { body: {} });
	// 409: the owner was not asked, or has answered already.
	if (![200, 409].includes(confirmed.status)) throw new Error(`not confirmed: ${confirmed.text}`);
}

async function untilEnded(id: string): Promise<any> {
	for (let turn = 0; turn < TURNS_MAX; turn++) {
		await lane.tick(turn < SLOW_TURNS ? TURN_MS : LONG_TURN_MS);
		const { body } = await lane.ask(`/v1/trading/intents/${id}`);
		if (ENDED.test(body.status)) return body;
		if (turn >= SLOW_TURNS) await lane.world.nextBlock();
		await Bun.sleep(PAUSE_MS);
	}
	throw new Error(`the trade is stuck: ${(await lane.ask(`/v1/trading/intents/${id}`)).text}`);
}

/** Returns a sentence for each thing that is wrong with a trade's result, judged by the chain. */
async function judge({ key, trade, answer }: Played, fromBlock: Hex): Promise<string[]> {
	const problems: string[] = [];
	const must = (holds: boolean, problem: string) => {
		if (!holds) problems.push(problem);
	};
	const { usdg } = lane.stocks.addresses;
	const { address: stock } = lane.stocks.stock("TSLA");
	const paid = await movedSince(lane, { token: usdg, fromBlock, side: "from" });
	const got = await movedSince(lane, { token: stock, fromBlock, side: "to" });
	const isDone = trade.status === "confirmed";
	must(paid.times <= 1 && got.times <= 1, `${paid.times} swaps`);
	must(isDone || trade.errorCode !== null, `${trade.status} without a reason`);
	must(paid.raw === (isDone ? SPENT_RAW : 0n), `${trade.status}, and ${paid.raw} were paid`);
	must(!isDone || got.raw >= BigInt(trade.leastReceivedRaw), `only ${got.raw} arrived`);
	const said = isDone ? `${trade.settled?.spentRaw} ${trade.settled?.receivedRaw}` : "0 0";
	must(said === `${paid.raw} ${got.raw}`, `the trade says ${said}`);
	const { open, spent } = await booksOf(trade.intentId);
	must(open === 0n, `${open} are reserved for ever`);
	must(spent === paid.raw, `${paid.raw} were paid, and ${spent} count as spent`);
	const allowed = await allowedRaw(lane);
	must(allowed === BigInt(trade.leftover?.amountRaw ?? 0), `${allowed} are allowed, unseen`);
	must(!isDone || allowed === 0n, `${allowed} are left allowed`);
	const again = await lane.ask("/v1/trading/intents", { body: { command: COMMAND }, key });
	must(again.text === answer.text, "the same request with the same key has another answer");
	return [...problems, ...(await judgeWallet())];
}

async function booksOf(intentId: string): Promise<{ open: bigint; spent: bigint }> {
	const [row] = await lane.db.query<{ open: string; spent: string }>(
		`select
			coalesce(sum(case when kind in ('reserve', 'unspend', 'unrelease') then amount_raw
				else -amount_raw end), 0)::text as open,
			coalesce(sum(case kind when 'spend' then amount_raw when 'unspend' then -amount_raw
				else 0 end), 0)::text as spent
		from wallets.spend_entry where intent_id = $1`,
		[intentId],
	);
	return { open: BigInt(row?.open ?? 0), spent: BigInt(row?.spent ?? 0) };
}

/**
 * Checks that each transaction of the wallet belongs to an intent, and that none was handed over
 * twice.
 */
async function judgeWallet(): Promise<string[]> {
	const { address } = lane.wallet;
	const count = await lane.world.anvil.rpc<Hex>("eth_getTransactionCount", [address, "latest"]);
	const [row] = await lane.db.query<{ mined: number; twice: number }>(
		`select (count(*) filter (where state in ('mined', 'reverted')))::int as mined,
			(count(*) - count(distinct intent_id))::int as twice from wallets.submission`,
	);
	const references = lane.custody.transactions().map(({ referenceId }) => referenceId);
	const sent = Number(count) - lane.nonceBefore;
	return [
		...(sent === row?.mined ? [] : [`the chain has ${sent} transactions, we know ${row?.mined}`]),
		...(row?.twice === 0 ? [] : ["an intent was submitted twice"]),
		...(new Set(references).size === references.length ? [] : ["the wallet provider sent twice"]),
	];
}

/**
 * Revokes the allowance that a trade left, so that the next trade needs its own. Returns the
 * problems.
 */
async function clean(trade: any): Promise<string[]> {
	if (trade.leftover === null) return [];
	await ask(false);
	const revoked = await lane.ask(`/v1/trading/intents/${trade.id}/revoke`, { body: {} });
	if (revoked.status !== 201) return [`not taken back: ${revoked.text}`];
	for (let turn = 0; turn < TURNS_MAX; turn++) {
		const [row] = await lane.db.query<{ status: string }>(
			"select status from wallets.intent where id = $1",
			[revoked.body.intentId],
		);
		if (row?.status === "confirmed") break;
		await lane.tick(TURN_MS);
		await lane.world.nextBlock();
	}
	return (await allowedRaw(lane)) === 0n ? [] : ["what was left allowed is not taken back"];
}

/** Plays one trade from its command to the chain's result, and returns the problems. */
async function trial(
	point: KillPoint | null,
	hasConfirmation = false,
): Promise<{ problems: string[]; deaths: number; reached: Record<string, number> }> {
	const fromBlock = await nextBlockNumber();
	const played = await play(point, hasConfirmation);
	const problems = await judge(played, fromBlock);
	if (played.deaths > (point ? 1 : 0)) problems.push(`${played.deaths} deaths`);
	problems.push(...(await clean(played.trade)));
	// Earlier payments count as final, so that they are not looked up while the next run dies: each
	// run reaches its own steps only.
	await lane.db.execute("update wallets.submission set final_at = now() where final_at is null");
	const { step, edge, nth } = point ?? { step: "undisturbed", edge: "", nth: "" };
	const name = `${step}:${edge} ${nth}${hasConfirmation ? " (confirmed)" : ""}`;
	const { deaths, reached } = played;
	return { problems: problems.map((one) => `${name}: ${one}`), deaths, reached };
}

/** Plays trades until a process dies at the point, and returns the problems. */
async function killAt(point: KillPoint, hasConfirmation: boolean): Promise<string[]> {
	for (let tries = 0; tries < TRIES_MAX; tries++) {
		const nth = tries === 0 ? point.nth : 1;
		const { problems, deaths } = await trial({ ...point, nth }, hasConfirmation);
		if (deaths > 0 || problems.length > 0) return problems;
	}
	return [`${point.step}:${point.edge}: nobody came by`];
}

async function nextBlockNumber(): Promise<Hex> {
	const head = await lane.world.anvil.rpc<string>("eth_blockNumber");
	return `0x${(Number(head) + 1).toString(16)}`;
}

/** Returns a point for each time that an undisturbed trade reaches an edge. */
function pointsOf(reached: Readonly<Record<string, number>>): KillPoint[] {
	return Object.entries(reached).flatMap(([name, times]) => {
		const [step = "", edge] = name.split(":") as [string, KillPoint["edge"]];
		const count = Math.min(times, NTH_MAX);
		return Array.from({ length: count }, (_, at): KillPoint => ({ step, edge, nth: at + 1 }));
	});
}

test(
	`a process that dies ${isProving ? "at any step of a trade" : "near a trade's two payments"} causes no second swap, and ledger, allowance and answer equal the chain`,
	async () => {
		const wrong: string[] = [];
		for (const hasConfirmation of isProving ? [false, true] : [false]) {
			const still = await trial(null, hasConfirmation);
			wrong.push(...still.problems);
			expect(STEPS.filter((step) => !still.reached[`${step}:before`])).toEqual([]);
			for (const point of isProving ? pointsOf(still.reached) : IN_TEST) {
				wrong.push(...(await killAt(point, hasConfirmation)));
			}
		}
		expect(wrong).toEqual([]);
		const { unsealed, flaws } = await lane.verifyBooks();
		expect({ unsealed, flaws }).toEqual({ unsealed: 0, flaws: [] });
	},
	5 * TEST_LIMIT_MS,
);
