// Lets the agent answer a text, and turns its answer into stored replies.

import type { Reply } from "#agent/contract.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { aboutOf, type KeptDraft, keep, privateBody } from "#plugins/social/inbox/drafts.ts";
import type { InboxDeps, Ring } from "#plugins/social/inbox/Inbox.ts";
import {
	AUTHOR_REPLIES_PER_MINUTE_MAX,
	CONVERSATION_REPLIES_MAX,
	EVENT_AGE_MAX_MS,
	EVENTS_PER_AUTHOR_HOUR_MAX,
	PRIVATE_AGE_MAX_MS,
	REPLY_AGE_MAX_MS,
	RUNNING_RETRY_MS,
	THINKING_ATTEMPTS_MAX,
	UNLINKED_PER_AUTHOR_DAY_MAX,
} from "#plugins/social/limits.ts";
import { type Draft, type Rendered, renderReplies } from "#plugins/social/renderReplies.ts";
import { type Contact, readContact } from "#plugins/social/sql/contacts.ts";
import {
	admitEvent,
	endEvent,
	hasChattered,
	lockAuthor,
	type SocialEvent,
	waitEvent,
} from "#plugins/social/sql/events.ts";
import { insertOrder } from "#plugins/social/sql/orders.ts";
import {
	countAnswers,
	hasHeld,
	insertReplies,
	keepUnlinked,
	type NewReply,
	releaseHeld,
	type Weight,
} from "#plugins/social/sql/replies.ts";

/** Works on one event that this process has taken: ends in stored replies, or a reason for none. */
type Think = (event: SocialEvent) => Promise<void>;

type Finish = {
	rendered: Rendered;
	/** The parts of the answer that are read again at sending, and their profile. */
	kept: Pick<KeptDraft, "about" | "profileId">;
	canDm: boolean;
	/** Held replies for the author are sent now. */
	released: boolean;
	/** The command of an author without a profile that would have moved value. */
	unlinked: string | null;
	weight: Weight;
	/** True: the text is no command, and is answered once a day. */
	isChatter: boolean;
};

/** The agent's code for a text that no command reads. */
const CHATTER = "unknown_command";

const LINK = /^["']?link["']?[.!]?$/i;

/**
 * Makes the function that has the agent answer a text, and stores the replies in the transaction
 * that ends the event. The event's id is the idempotency key: if a process dies in between, the
 * next one makes the same request, and a payment is made once.
 */
export function createThink(deps: InboxDeps, ring: Ring): Think {
	const { core, wallets } = deps;
	const { db, clock } = core;
	const thought = core.metrics.counter({
		name: "social_answers_total",
		help: "Events of the social channel that were worked on, by what came of it.",
		labels: ["outcome"],
	});

	async function drop(event: SocialEvent, reason: string): Promise<void> {
		thought.inc({ outcome: reason });
		const at = new Date(clock.nowMs());
		await db.transaction((tx) => endEvent(tx, event, { move: "drop", reason, at }));
	}

	async function finish(event: SocialEvent, given: Finish): Promise<void> {
		const at = new Date(clock.nowMs());
		const store = () => db.transaction((tx) => storeAnswer(tx, event, { given, deps, at }));
		const outcome = await deps.steps.run("social.finish", store);
		thought.inc({ outcome });
		if (outcome === "answered") ring();
	}

	return async (event) => {
		const nowMs = clock.nowMs();
		if (nowMs - event.writtenAt.getTime() > EVENT_AGE_MAX_MS) return await drop(event, "too_old");
		if (event.attempts > THINKING_ATTEMPTS_MAX) return await drop(event, "failed");
		const contact = await readContact(db, event.authorId);
		if (contact.isStopped) return await drop(event, "stopped");
		const since = new Date(nowMs - HOUR_MS);
		const limit = { since, max: EVENTS_PER_AUTHOR_HOUR_MAX };
		const isAdmitted = await db.transaction((tx) => admitEvent(tx, event, limit));
		if (!isAdmitted) return await drop(event, "author_limit");
		if (isLink(event.text)) {
			return await finish(event, await linkAnswer(event, contact, deps));
		}
		const profile = await wallets.profileOfSocial(event.authorId);
		const reply = await deps.steps.run("social.ask", () =>
			deps.agent.handle({
				text: event.text,
				caller: callerOf(profile?.id ?? null),
				idempotencyKey: `social:${event.id}`,
				guest: `social:${event.authorId}`,
				isAgeless: true,
				signal: deps.ending,
			}),
		);
		if (reply.code === "request_running") {
			return await waitEvent(db, event, new Date(clock.nowMs() + RUNNING_RETRY_MS));
		}
		// The service ends: the process that takes over makes the same request.
		if (deps.ending.aborted) return;
		const tool = reply.tool === null ? null : deps.toolOf(reply.tool);
		const moves = tool === null ? reply.code === "unauthorized" : tool.effect !== "read";
		const terms = { via: event.via, tool, transaction: null, ...termsOf(deps) };
		const profileId = profile !== null && tool?.access === "profile" ? profile.id : null;
		const about = aboutOf(reply, { tool, text: event.text });
		await finish(event, {
			rendered: renderReplies(reply, terms),
			kept: { about, profileId },
			canDm: contact.canDm || event.via === "dm",
			released: false,
			unlinked: profile === null && moves ? unlinkedOf(reply) : null,
			weight: weightOf(reply, { isLinked: profile !== null, moves }),
			isChatter: reply.code === CHATTER,
		});
	};
}

/**
 * Ends an event with its replies, in one transaction; returns the result. Chatter is answered once
 * a day, and a post only within the limits of its author and its conversation: an action without an
 * answer was done all the same, and stays.
 */
async function storeAnswer(
	tx: Tx,
	event: SocialEvent,
	{ given, deps, at }: { given: Finish; deps: InboxDeps; at: Date },
): Promise<"answered" | "taken_over" | "chatter"> {
	const { id: eventId, authorId } = event;
	await lockAuthor(tx, authorId);
	const isAgain = given.isChatter && (await hasChattered(tx, { authorId, at }));
	const reason = given.isChatter ? "chatter" : null;
	const ended = await endEvent(tx, event, { move: "answer", reason, at });
	if (!ended) return "taken_over";
	if (isAgain) return "chatter";
	const why = given.weight === 2 ? null : await silenceOfPost(tx, { eventId, authorId, at });
	const replies = repliesOf(event, given, { deps, nowMs: at.getTime() });
	const bounded = replies.map((one): NewReply => {
		return one.via === "post" && why !== null ? { ...one, state: "unanswered", reason: why } : one;
	});
	await insertReplies(tx, bounded, at);
	const { about, profileId } = given.kept;
	if (about?.kind === "order" && profileId !== null) {
		await insertOrder(tx, { orderId: about.id, eventId, tool: about.tool, profileId }, at);
	}
	if (given.released) await releaseHeld(tx, { authorId, at });
	if (given.unlinked !== null) {
		const since = new Date(at.getTime() - DAY_MS);
		const row = { eventId, authorId, command: given.unlinked };
		const quota = { since, max: UNLINKED_PER_AUTHOR_DAY_MAX };
		await keepUnlinked(tx, { ...row, reason: "no_profile", at }, quota);
	}
	return "answered";
}

/** Returns why a post gets no answer in public; null where it gets one. */
async function silenceOfPost(
	tx: Tx,
	given: { eventId: string; authorId: string; at: Date },
): Promise<string | null> {
	const { inConversation, inMinute, isProgram } = await countAnswers(tx, given);
	if (isProgram || inMinute >= AUTHOR_REPLIES_PER_MINUTE_MAX) return "automated";
	return inConversation >= CONVERSATION_REPLIES_MAX ? "conversation_limit" : null;
}

function weightOf(
	{ links }: Reply,
	{ isLinked, moves }: { isLinked: boolean; moves: boolean },
): Weight {
	if (!isLinked) return 0;
	return links.length > 0 || moves ? 2 : 1;
}

function repliesOf(
	{ id: eventId, authorId, sourceId }: SocialEvent,
	{ rendered: { post, dm, tellsDm }, kept, canDm, weight }: Finish,
	{ deps, nowMs }: { deps: InboxDeps; nowMs: number },
): NewReply[] {
	const replies: NewReply[] = [];
	const common = { eventId, part: "answer", authorId, weight } as const;
	const bodyOf = (draft: Draft) => keep({ ...draft, ...kept });
	if (post !== null) {
		const goodUntil = new Date(nowMs + REPLY_AGE_MAX_MS);
		const shown = { via: "post", toId: sourceId, body: bodyOf(post), state: "ready" } as const;
		replies.push({ ...common, ...shown, goodUntil, tellsDm });
	}
	if (dm !== null) {
		const body = privateBody.close(bodyOf(dm), deps.seal);
		const state = canDm ? "ready" : "held";
		const goodUntil = new Date(nowMs + PRIVATE_AGE_MAX_MS);
		const sealed = { via: "dm", toId: authorId, body, state } as const;
		replies.push({ ...common, ...sealed, goodUntil, tellsDm: false });
	}
	return replies;
}

function isLink(text: string): boolean {
	return LINK.test(text);
}

/** Sends what was held for the author; where nothing was, replies with the sign-in address. */
async function linkAnswer(
	{ via, authorId }: SocialEvent,
	contact: Contact,
	deps: InboxDeps,
): Promise<Finish> {
	const { db } = deps.core;
	const { signInUrl, lengthMax } = termsOf(deps);
	const base = {
		kept: { about: null, profileId: null },
		canDm: true,
		released: true,
		unlinked: null,
		weight: 0,
		isChatter: false,
	} as const;
	const said = (text: string, tail = ""): Draft => ({ text, asOf: null, tail });
	const signIn = said("Sign in here:", ` ${signInUrl}`.slice(0, lengthMax - 20));
	if (via === "post") {
		const { canDm } = contact;
		const post = canDm
			? "Links are for you alone."
			: "Send me the word link by direct message: I may only answer there.";
		return {
			...base,
			released: canDm,
			rendered: { post: said(post), dm: canDm ? signIn : null, tellsDm: canDm },
		};
	}
	const isHeld = await hasHeld(db, { authorId, at: new Date(deps.core.clock.nowMs()) });
	return { ...base, rendered: { post: null, dm: isHeld ? null : signIn, tellsDm: false } };
}

/** Returns what bounds a rendered reply, and where its author signs in. */
export function termsOf({ config }: Pick<InboxDeps, "config">) {
	const signInUrl = config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`;
	return { lengthMax: config.MAX_REPLY_LENGTH, signInUrl };
}

/** Returns the caller: the author of exactly this post or message. */
function callerOf(profileId: string | null): Caller {
	const authority = profileId === null ? "none" : "author";
	return { channel: "social", profileId, authority };
}

function unlinkedOf({ code, command }: Reply): string | null {
	return code === "unauthorized" ? command : null;
}
