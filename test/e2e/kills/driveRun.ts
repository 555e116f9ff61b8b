// Drives a request to its end, whatever state its intents are in.

import { bytesToHex } from "viem";
import type { Database } from "#core/db/Database.ts";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/looks.ts";
import type { KillRun } from "#test/e2e/kills/KillScenario.ts";
import type { Answer, KillLane } from "#test/e2e/kills/openKillLane.ts";

export type IntentFound = {
	id: string;
	status: string;
	errorCode: string | null;
	/** The recipient, or the token's id. */
	wanted: string;
	/** `queued`, `sending`, … of its payments. */
	states: string[];
};

const ENDED = new Set(["confirmed", "failed", "rejected", "expired"]);
const OPEN = new Set(["queued", "sending", "sent", "doubtful", "dropped"]);
const ASKS_MAX = 40;
const ASK_AGAIN_MS = 25;
const TURNS_MAX = 200;
/** Turns of the jobs before held mining goes on, and before the clock runs faster. */
const HELD_TURNS = 2;
const SLOW_TURNS = 6;
const TURN_MS = 1_100;
const LONG_TURN_MS = 6_000;
const PAUSE_MS = 20;
/**
 * From this turn on each turn first waits for a new block. Another run may stop mining for as long
 * as its process takes to start, and turns without blocks would be used up meanwhile.
 */
const BLOCK_FROM_TURN = 50;
/** After this time a transaction that the provider denies having sent is looked up once more. */
const LATER_MS = 40_000;

/** Longer than a transaction that no node knows is still expected. */
const LOST_MS = UNSEEN_DROPPED_MS + 60_000;

const CANCELLABLE = new Set(["submitted", "uncertain"]);
/** Not yet or no longer possible, or another process holds the intent. */
const LATER = new Set([409, 503]);

/**
 * Drives a request to its end from any state: repeats it with its key, confirms it where its owner
 * is asked, and runs the jobs until none of its intents is open. Returns its answer and the edges
 * that were reached.
 */
export async function driveRun(
	lane: KillLane,
	run: KillRun & {
		key: string;
		release(): void;
		forgets: (() => Promise<void>) | null;
		/**
		 * Cancels what can be cancelled; false while something is left, and until then nothing is
		 * mined.
		 */
		cancels: (() => Promise<boolean>) | null;
	},
): Promise<{ answer: Answer; reached: Record<string, number> }> {
	const answer = await askUntilAnswered(lane, run);
	for (let turn = 0; turn < TURNS_MAX; turn++) {
		await run.forgets?.();
		const isCancelled = (await run.cancels?.()) ?? true;
		const isReleased = turn >= HELD_TURNS && isCancelled;
		if (isReleased) run.release();
		if (isReleased && turn >= BLOCK_FROM_TURN) await lane.world.nextBlock();
		const intents = await intentsOf(lane.db, run);
		const asked = intents.find(({ status }) => status === "confirmation_required");
		if (asked) await confirm(lane, asked.id);
		const isOpen = intents.some(({ status, states }) => {
			return !ENDED.has(status) || states.some((state) => OPEN.has(state));
		});
		if (!isOpen && !asked) {
			run.release();
			// What the wallet provider still does late then shows on the chain.
			await lane.custody.idle();
			await lane.tick(LATER_MS);
			const again = await intentsOf(lane.db, run);
			const isStill = again.every(({ status }, n) => status === intents[n]?.status);
			if (isStill) return { answer, reached: await lane.tick(TURN_MS) };
		}
		await lane.tick(turn < SLOW_TURNS ? TURN_MS : LONG_TURN_MS);
		await Bun.sleep(PAUSE_MS);
	}
	const stuck = await intentsOf(lane.db, run);
	throw new Error(`stuck: ${JSON.stringify(stuck)}`);
}

/**
 * Returns a function that lets the node drop all pending transactions of the lane's wallet, once,
 * as soon as the service has seen all of them there; then so much time passes that they are given
 * up for lost. It is called again and again, also after a death.
 */
export function forgetfulNode(lane: KillLane): () => Promise<void> {
	let hasForgotten = false;
	return async () => {
		if (hasForgotten) return;
		const open = await lane.db.query<{ hash: Uint8Array | null; isSeen: boolean }>(
			`select transaction_hash as hash, state = 'sent' and signed is not null as "isSeen"
			from wallets.submission
			where final_at is null and state in ('queued', 'sending', 'doubtful', 'sent')`,
		);
		// With one transaction the node drops all that follow it, and one that was never seen stays
		// lost.
		if (open.length === 0 || !open.every(({ isSeen }) => isSeen)) return;
		hasForgotten = true;
		for (const { hash } of open) {
			if (hash) await lane.world.anvil.rpc("anvil_dropTransaction", [bytesToHex(hash)]);
		}
		await lane.tick(LOST_MS);
	};
}

/**
 * Returns a function that cancels each transfer of a run once, as soon as it was sent; true once
 * that is done, or no longer needed. It is called again and again, also after a death: a request of
 * the life before may not have been received.
 */
export function impatientOwner(lane: KillLane, run: KillRun): () => Promise<boolean> {
	return async () => {
		const intents = await intentsOf(lane.db, run);
		let isDone = intents.length === run.wanted.length;
		for (const { id, status } of intents) {
			if (status === "created" || status === "submitting") isDone = false;
			if (!CANCELLABLE.has(status)) continue;
			const path = `/v1/trading/wallet-transfers/${id}/cancel`;
			const { status: answered, text, body } = await lane.ask(path, { body: {} });
			if (LATER.has(answered)) isDone = false;
			else if (answered !== 200) throw new Error(`not cancelled: ${answered} ${text}`);
			else if (body.cancellation?.state === "queued") isDone = false;
		}
		return isDone;
	};
}

/** Returns every intent that a run made, by what it wants. */
export async function intentsOf(db: Database, run: KillRun): Promise<IntentFound[]> {
	return db.query<IntentFound>(
		`select i.id, i.status, i.error_code as "errorCode",
			coalesce(i.request->>'recipient', i.request->>'tokenId') as wanted,
			array(select s.state::text from wallets.submission s where s.intent_id = i.id
				and s.purpose = 'pay') as states
		from wallets.intent i
		where coalesce(i.request->>'recipient', i.request->>'tokenId') = any($1)
		order by i.id`,
		[run.wanted.map((one) => (one.kind === "buy" ? String(one.tokenId) : one.recipient))],
	);
}

async function askUntilAnswered(
	lane: KillLane,
	{ path, body, key }: { path: string; body: unknown; key: string },
): Promise<Answer> {
	for (let times = 0; times < ASKS_MAX; times++) {
		const answer = await lane.ask(path, { body, key });
		// 409 only until the database has noticed that the process that held the key is gone.
		if (answer.status !== 409) return answer;
		await Bun.sleep(ASK_AGAIN_MS);
	}
	throw new Error("a request is under way for ever");
}

/** Confirms an intent by a new link, as an owner does who lost the first one. */
async function confirm(lane: KillLane, intentId: string): Promise<void> {
	const made = await lane.ask("/v1/links", { body: { intentId } });
	if (made.status !== 201) throw new Error(`no link: ${made.text}`);
	const path = `/v1/links/${String(made.body.url).split("/").at(-1)}`;
	const { body } = await lane.ask(path);
	const answered = await lane.ask(path, { body: { planHash: body.planHash } });
	if (answered.status !== 200) throw new Error(`not confirmed: ${answered.text}`);
}
