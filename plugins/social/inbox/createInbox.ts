import { type Wakeable, wakeable } from "#core/time/wakeable.ts";
import type { InboxDeps } from "#plugins/social/inbox/Inbox.ts";
import { createLook, createLookFor } from "#plugins/social/inbox/lookFor.ts";
import { createReceive, type Receive } from "#plugins/social/inbox/receive.ts";
import { createSending } from "#plugins/social/inbox/send.ts";
import { createThink } from "#plugins/social/inbox/think.ts";
import {
	EVENTS_AT_ONCE,
	IDLE_MS,
	LOOKS_AFTER_MS,
	REPLIES_AT_ONCE,
	SENDING_MS,
	THINKING_MS,
} from "#plugins/social/limits.ts";
import type { ReadBudget } from "#plugins/social/reads/createReadBudget.ts";
import { takeEvents } from "#plugins/social/sql/events.ts";
import {
	doubtSending,
	giveUpLate,
	takeReplies,
	takeUncertain,
} from "#plugins/social/sql/replies.ts";

export type Inbox = {
	receive: Receive;
	/** Starts the loops, in every process; the database decides who does what. */
	start(): void;
	/** Waits for running work, after the signal of `deps` aborted. */
	ended(): Promise<void>;
};

/** Makes the inbox: from a text written to the bot to the bot's reply. */
export function createInbox(deps: InboxDeps, reads: ReadBudget): Inbox {
	const { db, clock, log } = deps.core;
	const bells = { think: wakeable(), send: wakeable() };
	const think = createThink(deps, () => bells.send.ring());
	const look = createLook(deps, reads);
	const sending = createSending(deps, look);
	const lookFor = createLookFor(deps, look);
	const running: Promise<void>[] = [];
	const at = (afterMs = 0) => new Date(clock.nowMs() + afterMs);
	let tendedAtMs = 0;

	/**
	 * Does the periodic work: marks interrupted sends as uncertain, ends late replies, looks for
	 * uncertain ones.
	 */
	async function tend(): Promise<void> {
		const nowMs = clock.nowMs();
		if (nowMs - tendedAtMs < IDLE_MS) return;
		tendedAtMs = nowMs;
		await doubtSending(db, { before: at(-SENDING_MS), at: at() });
		await giveUpLate(db, at());
		const againAt = at(LOOKS_AFTER_MS.at(-1) ?? SENDING_MS);
		const due = await takeUncertain(db, { at: at(), againAt, limit: REPLIES_AT_ONCE });
		await Promise.all(due.map(lookFor));
	}

	function start(): void {
		running.push(
			work(bells.think, {
				atOnce: EVENTS_AT_ONCE,
				take: (limit) => takeEvents(db, { at: at(), heldUntil: at(THINKING_MS), limit }),
				run: think,
			}),
			work(bells.send, {
				atOnce: REPLIES_AT_ONCE,
				async take(limit) {
					await tend();
					const via = sending.open();
					return via.length === 0 ? [] : await takeReplies(db, { via, at: at(), limit });
				},
				run: sending.send,
			}),
		);
	}

	async function work<Item>(bell: Wakeable, { atOnce, take, run }: Work<Item>): Promise<void> {
		const { ending } = deps;
		const underWay = new Set<Promise<void>>();
		while (!ending.aborted) {
			const free = atOnce - underWay.size;
			const items = free === 0 ? [] : await take(free).catch(failed);
			for (const item of items) {
				const one: Promise<void> = run(item)
					.catch((error) => void failed(error))
					.then(() => {
						underWay.delete(one);
						bell.ring();
					});
				underWay.add(one);
			}
			if (items.length === 0 || items.length < free) await bell.wait(IDLE_MS, ending);
		}
		await Promise.all(underWay);
	}

	/** Logs the error. The row's state decides how the item continues later. */
	function failed(error: unknown): [] {
		if (!deps.ending.aborted)
			log.error("the social inbox could not go on with something", { error });
		return [];
	}

	return {
		receive: createReceive(deps, () => bells.think.ring()),
		start,
		async ended() {
			await Promise.all(running);
		},
	};
}

type Work<Item> = {
	atOnce: number;
	take(limit: number): Promise<Item[]>;
	run(item: Item): Promise<void>;
};
