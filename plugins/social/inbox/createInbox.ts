// Stores texts that arrive, and runs the loops that answer them.

import { LRUCache } from "lru-cache";
import { type Wakeable, wakeable } from "#core/time.ts";
import type { ReadBudget } from "#plugins/social/budgets.ts";
import { createFollow } from "#plugins/social/inbox/createFollow.ts";
import type { Inbox, InboxDeps, Receive, Ring } from "#plugins/social/inbox/Inbox.ts";
import {
	judgeSpeaker,
	type SpeakerTerms,
	writtenAtMs,
} from "#plugins/social/inbox/judgeSpeaker.ts";
import { createLook, createLookFor, createSending } from "#plugins/social/inbox/send.ts";
import { createThink } from "#plugins/social/inbox/think.ts";
import {
	EVENTS_AT_ONCE,
	IDLE_MS,
	KNOWN_EVENTS_MAX,
	LOOKS_AFTER_MS,
	REPLIES_AT_ONCE,
	SENDING_MS,
	THINKING_MS,
} from "#plugins/social/limits.ts";
import { noteDm, noteStop } from "#plugins/social/sql/contacts.ts";
import { insertEvents, type NewEvent, NOT_OURS, takeEvents } from "#plugins/social/sql/events.ts";
import {
	doubtSending,
	giveUpLate,
	giveUpOf,
	releaseHeld,
	takeUncertain,
} from "#plugins/social/sql/replies.ts";
import type { X } from "#plugins/social/x/createX.ts";
import type { Written } from "#plugins/social/x/readActivity.ts";

type Storable = { event: NewEvent; isStop: boolean; isStart: boolean };

type Work<Item> = {
	atOnce: number;
	take(limit: number): Promise<Item[]>;
	run(item: Item): Promise<void>;
};

/** Words that control the bot itself; they are no commands of plugins. */
const STOP = /^["']?(?:stop|unsubscribe|stop\s+all)["']?[.!]?$/i;
const START = /^["']?(?:start|subscribe)["']?[.!]?$/i;

/** Makes the inbox: from a text written to the bot to the bot's reply. */
export function createInbox(deps: InboxDeps, reads: ReadBudget): Inbox {
	const { db, clock, log } = deps.core;
	const bells = { think: wakeable(), send: wakeable() };
	const think = createThink(deps, () => bells.send.ring());
	const look = createLook(deps, reads);
	const sending = createSending(deps, look);
	const lookFor = createLookFor(deps, look);
	const follow = createFollow(deps, () => bells.send.ring());
	const running: Promise<void>[] = [];
	const at = (afterMs = 0) => new Date(clock.nowMs() + afterMs);
	let tendedAtMs = 0;

	/**
	 * Does the periodic work: takes back interrupted sends, ends late replies, looks for uncertain
	 * ones, and follows orders.
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
		await follow();
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
					return await sending.take(limit);
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

/**
 * Makes the function that stores each text once, by its id, with whether it is for the bot, and
 * obeys `stop` in the same transaction. Work on new texts begins at once.
 */
export function createReceive(
	{
		core,
		config,
		steps,
		x,
	}: Pick<InboxDeps, "core" | "config" | "steps"> & { x: Pick<X, "botId"> },
	ring: Ring,
): Receive {
	const { db, clock, metrics } = core;
	const ignoredIds = new Set(config.SOCIAL_IGNORED_USER_IDS);
	const botName = config.SOCIAL_BOT_USERNAME ?? null;
	const received = metrics.counter({
		name: "social_events_total",
		help: "What was written to the bot, by how and by what became of it on arrival.",
		labels: ["via", "outcome"],
	});
	// X signs no time, so whoever holds a delivery can repeat it for ever: that asks no database.
	const known = new LRUCache<string, true>({ max: KNOWN_EVENTS_MAX });
	return async (written, unread = 0) => {
		if (unread > 0) received.inc({ via: "unknown", outcome: "unreadable" }, unread);
		if (written.length === 0) return 0;
		// Where nobody knows who the bot is, nothing is taken, and X delivers it again.
		const botId = await x.botId();
		const nowMs = clock.nowMs();
		const at = new Date(nowMs);
		const terms: SpeakerTerms = { botId, botName, ignoredIds, nowMs };
		const [repeated, unknown] = partition(unique(written), (one) => known.has(keyOf(one)));
		for (const { via } of repeated) received.inc({ via, outcome: "repeated" });
		const judged = unknown.map((one) => storable(one, terms));
		if (judged.length === 0) return 0;
		const store = () =>
			db.transaction(async (tx) => {
				const ids = new Set(
					await insertEvents(
						tx,
						judged.map(({ event }) => event),
						at,
					),
				);
				for (const { event, isStop, isStart } of judged) {
					if (!ids.has(event.id)) continue;
					const { authorId, writtenAt } = event;
					if (event.via === "dm" && (event.reason === null || isStart)) {
						await noteDm(tx, { userId: authorId, at: writtenAt });
					}
					// From now on X allows messages to them: what waited for that is sent.
					if (event.via === "dm" && isStart) await releaseHeld(tx, { authorId, at });
					if (isStop || isStart) {
						await noteStop(tx, { userId: authorId, isStopped: isStop, saidAt: writtenAt });
					}
					if (isStop) await giveUpOf(tx, { authorId, at });
				}
				return ids;
			});
		const fresh = await steps.run("social.receive", store);
		for (const { event } of judged) {
			const outcome = fresh.has(event.id) ? (event.reason ?? "taken") : "repeated";
			received.inc({ via: event.via, outcome });
			// It may still come for the bot: two accounts that a post names may share a webhook.
			if (event.reason !== NOT_OURS) known.set(event.id, true);
		}
		if (fresh.size > 0) ring();
		return fresh.size;
	};
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean) {
	return [items.filter(isFirst), items.filter((item) => !isFirst(item))] as const;
}

/** Removes duplicates: one delivery may contain the same text twice. */
function unique(written: readonly Written[]): Written[] {
	return [...new Map(written.map((one) => [keyOf(one), one])).values()];
}

function keyOf({ via, firstId }: Written): string {
	return `${via}:${firstId}`;
}

function storable(written: Written, terms: SpeakerTerms): Storable {
	const judged = judgeSpeaker(written, terms);
	const said = judged.kind === "ignored" ? "" : judged.command;
	const command = judged.kind === "heard" ? said : "";
	// However late they are read: of an author's `stop` and `start` the one written last counts.
	const isStop = STOP.test(said);
	const isStart = START.test(said);
	const own = isStop ? "stop" : isStart ? "start" : judged.kind === "late" ? "too_old" : null;
	const reason = judged.kind === "ignored" ? judged.reason : own;
	return {
		isStop,
		isStart,
		event: {
			...{ id: keyOf(written), via: written.via, authorId: written.authorId, text: command },
			// An edited post is ignored, so a stored text that is answered is the first version.
			...{ sourceId: written.firstId, conversationId: written.conversationId },
			writtenAt: new Date(clamped(writtenAtMs(written.firstId), terms.nowMs)),
			state: reason === null ? "received" : "ignored",
			reason,
		},
	};
}

/**
 * Limits the time: an id that is not X's could otherwise mean a year that the database cannot
 * store.
 */
function clamped(ms: number, nowMs: number): number {
	return Math.min(Math.max(ms, 0), nowMs);
}
