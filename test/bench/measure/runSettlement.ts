// Measures when sent intents are settled, and ten sends of one wallet at once.

import { Client } from "pg";
import { z } from "zod";
import type { Owner, Trading } from "#test/bench/measure/openTrading.ts";
import { turnTold } from "#test/bench/measure/runTurn.ts";
import type { Script } from "#test/bench/measure/startServiceProcess.ts";

export type Parallel = {
	/** From the first request's start until the database showed all of them `submitted`. */
	delaysMs: readonly number[];
	/** All that were sent, for the books. */
	done: number;
};

export type Settlement = {
	/** From before a block was mined until the database showed its intents `confirmed`. */
	delaysMs: readonly number[];
	/** Intents submitted meanwhile. */
	perSecond: number;
	/** All that were sent, for the books. */
	done: number;
};

export const PARALLEL_AT_ONCE = 10;
export const PARALLEL_TURNS = 10;
/** Not counted: statements of a whole batch are planned anew until a connection knows them. */
const WARM_TURNS = 2;
/** Far from all accounts with a key, and from the load's recipients. */
const RECIPIENTS_FROM = 0xbf00_0000_0000n;
const LOOK_EVERY_MS = 5;
const SUBMITTED_TIMEOUT_MS = 20_000;
const answerSchema = z.object({ transfers: z.tuple([z.object({ id: z.string() })]) });

export const SETTLED_PER_SECOND = 100;
export const SETTLED_BLOCK_MS = 250;
const WARM_MS = 1_000;
const COUNT_MS = 6_000;
const IN_FLIGHT = 24;
const SETTLED_LOOK_EVERY_MS = 20;
const END_TIMEOUT_MS = 20_000;
/**
 * Blocks on top of the sent transactions: as many as it takes until they are not looked up any
 * more.
 */
const BLOCKS_ON_TOP = 65;

const OPEN_SUBMISSIONS =
	"exists (select from wallets.submission s where s.intent_id = intent.id and s.final_at is null)";

/**
 * Sends intents at an even pace while blocks come four times a second, and observes when each is
 * settled. Ends when none of them is looked up any more, so that later measurements are not slowed.
 */
export async function runSettlement(
	{ chain, connectionString, service }: Trading,
	script: Script,
): Promise<Settlement> {
	await chain.call("evm_setIntervalMining", [0]);
	const client = new Client({ connectionString });
	await client.connect();
	try {
		const [{ now: since } = { now: new Date() }] = (
			await client.query<{ now: Date }>("select clock_timestamp() as now")
		).rows;
		const mining = mineByTheClock(chain);
		const observing = observe(client, since);
		script.order({
			inFlight: IN_FLIGHT,
			warmMs: WARM_MS,
			countMs: COUNT_MS,
			perSecond: SETTLED_PER_SECOND,
		});
		const told = turnTold.parse(await Promise.race([script.line(), service.failed]));
		await untilNone(client, "status in ('created', 'submitting', 'submitted', 'uncertain')");
		const minedAtMs = await mining.end();
		const settledAtMs = await observing.end();
		const delaysMs = await delaysOf(client, { since, minedAtMs, settledAtMs });
		await chain.call("anvil_mine", [`0x${BLOCKS_ON_TOP.toString(16)}`]);
		await untilNone(client, OPEN_SUBMISSIONS);
		return { delaysMs, perSecond: told.perSecond, done: told.done };
	} finally {
		await client.end();
		await chain.call("evm_setIntervalMining", [1]);
	}
}

/** Has one wallet send ten transfers at once by requests of their own; each turn another wallet. */
export async function runParallel(
	{ connectionString, service, owners }: Trading,
	amount: string,
): Promise<Parallel> {
	const client = new Client({ connectionString });
	await client.connect();
	const delaysMs: number[] = [];
	let done = 0;
	const turns = WARM_TURNS + PARALLEL_TURNS;
	try {
		for (const owner of owners.slice(0, turns)) {
			const beganMs = performance.now();
			const asked = Array.from({ length: PARALLEL_AT_ONCE }, () => {
				return pay(service.url, { owner, amount, recipient: RECIPIENTS_FROM + BigInt(done++) });
			});
			const ids = await Promise.race([Promise.all(asked), service.failed]);
			await untilSubmitted(client, ids);
			delaysMs.push(performance.now() - beganMs);
		}
	} finally {
		await client.end();
	}
	return { delaysMs: delaysMs.slice(WARM_TURNS), done };
}

/** Mines blocks at an even distance; returns the begin of each, by its number. */
function mineByTheClock(chain: Trading["chain"]): { end(): Promise<Map<number, number>> } {
	const minedAtMs = new Map<number, number>();
	let isEnded = false;
	async function mine(): Promise<void> {
		let number = Number(await chain.call("eth_blockNumber"));
		for (let dueMs = performance.now(); !isEnded; dueMs += SETTLED_BLOCK_MS) {
			await Bun.sleep(Math.max(0, dueMs - performance.now()));
			minedAtMs.set(++number, performance.now());
			await chain.call("evm_mine");
		}
	}
	const done = mine();
	return {
		async end() {
			isEnded = true;
			await done;
			return minedAtMs;
		},
	};
}

/** Reads which intents are settled, over a connection of its own. */
function observe(client: Client, since: Date): { end(): Promise<Map<string, number>> } {
	const settledAtMs = new Map<string, number>();
	let isEnded = false;
	async function look(): Promise<void> {
		while (!isEnded) {
			const { rows } = await client.query<{ id: string }>({
				name: "observe",
				text: "select id from wallets.intent where status = 'confirmed' and changed_at > $1",
				values: [since],
			});
			const nowMs = performance.now();
			for (const { id } of rows) if (!settledAtMs.has(id)) settledAtMs.set(id, nowMs);
			await Bun.sleep(SETTLED_LOOK_EVERY_MS);
		}
	}
	const done = look();
	return {
		async end() {
			isEnded = true;
			await done;
			return settledAtMs;
		},
	};
}

async function untilNone(client: Client, condition: string): Promise<void> {
	const deadlineMs = performance.now() + END_TIMEOUT_MS;
	for (;;) {
		const { rows } = await client.query<{ open: number }>(
			`select count(*)::int as open from wallets.intent where ${condition}`,
		);
		if (rows[0]?.open === 0) return;
		if (performance.now() > deadlineMs) throw new Error(`${rows[0]?.open} intents: ${condition}`);
		await Bun.sleep(100);
	}
}

async function delaysOf(
	client: Client,
	given: { since: Date; minedAtMs: Map<number, number>; settledAtMs: Map<string, number> },
): Promise<number[]> {
	const { rows } = await client.query<{ id: string; block: string }>(
		`select i.id, s.block_number as block
		from wallets.intent i join wallets.submission s on s.intent_id = i.id
		where i.created_at > $1`,
		[given.since],
	);
	return rows.map(({ id, block }) => {
		const minedMs = given.minedAtMs.get(Number(block));
		const settledMs = given.settledAtMs.get(id);
		if (minedMs === undefined || settledMs === undefined) {
			throw new Error(`${id} in block ${block} was not seen settled`);
		}
		return settledMs - minedMs;
	});
}

async function pay(
	url: string,
	{ owner, amount, recipient }: { owner: Owner; amount: string; recipient: bigint },
): Promise<string> {
	const response = await fetch(`${url}/v1/trading/wallet-transfers`, {
		method: "POST",
		headers: {
			authorization: `Bearer ${owner.session}`,
			"content-type": "application/json",
			"idempotency-key": crypto.randomUUID(),
			"x-forwarded-for": "10.8.0.1",
		},
		body: JSON.stringify({
			fromWalletId: owner.walletId,
			recipients: [`0x${recipient.toString(16).padStart(40, "0")}`],
			amount,
		}),
	});
	const text = await response.text();
	const answer = answerSchema.safeParse(JSON.parse(text));
	if (!answer.success) throw new Error(`${response.status}: ${text}`);
	return answer.data.transfers[0].id;
}

async function untilSubmitted(client: Client, ids: readonly string[]): Promise<void> {
	const deadlineMs = performance.now() + SUBMITTED_TIMEOUT_MS;
	for (;;) {
		const { rows } = await client.query<{ left: number }>(
			`select count(*)::int as left from wallets.intent
			where id = any($1::uuid[]) and status not in ('submitted', 'confirmed')`,
			[ids],
		);
		if (rows[0]?.left === 0) return;
		if (performance.now() > deadlineMs) throw new Error(`${rows[0]?.left} were not submitted`);
		await Bun.sleep(LOOK_EVERY_MS);
	}
}
