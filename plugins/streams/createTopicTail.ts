// Publishes one topic's frames in order, once each; reads hints and makes control frames.

import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import type { Log } from "#core/log.ts";
import { type FrameBatch, type Outbox, type RenderedFrame, renderFrames } from "#core/outbox.ts";
import {
	BATCHES_COLLECTED_MAX,
	COLLECT_FOLLOWERS_MIN,
	FRAMES_MISSED_MAX,
} from "#plugins/streams/limits.ts";
import type { Publisher } from "#plugins/streams/model.ts";

/** Names why a client has to read the state again instead of getting the missed frames. */
export type SnapshotReason =
	| "epoch_changed"
	| "seq_unknown"
	| "too_old"
	| "too_many_missed"
	| "frames_lost";

export type TopicTailOptions = {
	outbox: Pick<Outbox, "read" | "heads">;
	publisher: Publisher;
	clock: Clock;
	log: Log;
	onPublished: () => void;
	/** Called when the log is shorter than what was already published from it. */
	onRenumbered: () => void;
	/** Waits while announced frames collect, so that they share the writes to their sockets. */
	collect: () => Promise<void>;
};

export type TopicTail = {
	readonly topic: string;
	/** Resolves once the head is known, and with it the position. */
	readonly opened: Promise<void>;
	/** Returns the newest number that went out to this process's sockets. Undefined until opened. */
	position(): number | undefined;
	/**
	 * Takes an announced batch: published at once if it comes next, else a reason to read the log.
	 */
	hint(batch: FrameBatch): void;
	/** Takes the head that PostgreSQL states; resolves when everything up to it went out. */
	head(seq: number): Promise<void>;
	/** Publishes all frames that PostgreSQL holds beyond the position. */
	catchUp(): Promise<void>;
	ping(): void;
	/** Ends the tail: nothing goes out afterwards. */
	end(): void;
};

export type ReplayGate = <Result>(run: () => Promise<Result>) => Promise<Result>;

type ControlFrame = {
	type: "hello" | "ping" | "pong" | "snapshot_required" | "error";
	/** The topic's number that this client has reached, not a number of the frame's own. */
	seq: number;
	topic: string;
	atMs: number;
	data: Readonly<Record<string, unknown>>;
	/** The epoch, only in hello. */
	epoch?: string;
};

type State = TopicTailOptions & {
	topic: string;
	opened: Promise<void>;
	position: number | undefined;
	ended: boolean;
	/** True: PostgreSQL may hold something newer than the position. */
	behind: boolean;
	/** The reading of the log under way. Nothing else moves the position meanwhile. */
	reading: Promise<void> | undefined;
	/** Batches that wait for the window's end; undefined without a window. */
	collected: FrameBatch[] | undefined;
	/** Returns the number of sockets in the topic: what a write to all of them costs. */
	followers: () => number;
};

const batchSchema = z.object({
	topic: z.string().min(1),
	seqFirst: z.int().min(1),
	atMs: z.number(),
	frames: z.array(z.object({ type: z.string(), data: z.unknown() })).min(1),
});

/** Matches the beginning of our announcements. */
const TOPIC_FIRST = /^\{"topic":"([^"\\]*)"/;

/**
 * Follows the log of one topic.
 *
 * The position alone decides: a frame goes out only as `position + 1`, so hints may be lost,
 * doubled or reordered, and reads may overlap with them, and each frame still goes out once.
 */
export function createTopicTail(
	topic: string,
	options: TopicTailOptions & { followers: () => number },
): TopicTail {
	const state: State = {
		...options,
		topic,
		opened: Promise.resolve(),
		position: undefined,
		ended: false,
		behind: false,
		reading: undefined,
		collected: undefined,
	};
	state.opened = open(state);
	return {
		topic,
		opened: state.opened,
		position: () => state.position,
		hint: (batch) => takeHint(state, batch),
		async head(seq) {
			publishCollected(state);
			if (seq > (state.position ?? seq)) state.behind = true;
			if (state.behind) await readQuietly(state);
		},
		catchUp() {
			state.behind = true;
			return read(state);
		},
		ping() {
			if (state.position !== undefined) publishControl(state, { type: "ping", data: {} });
		},
		end() {
			state.ended = true;
		},
	};
}

/**
 * Renders a frame that the server makes itself: in the shape of all frames, but not part of the
 * log.
 */
export function controlFrame({ type, seq, topic, atMs, data, epoch }: ControlFrame): string {
	const at = new Date(atMs).toISOString();
	return JSON.stringify({ type, seq, ...(epoch === undefined ? {} : { epoch }), topic, at, data });
}

/**
 * Parses an announcement of the bus; undefined where it is no batch of ours.
 *
 * Another version of this service may share the bus, so an unreadable one is no failure: its frames
 * are read from PostgreSQL.
 */
export function parseHint(text: string): FrameBatch | undefined {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return undefined;
	}
	return batchSchema.safeParse(value).data;
}

/** Makes a gate that lets at most `max` functions run at a time; the others wait in order. */
export function replayGate(max: number): ReplayGate {
	const waiting: (() => void)[] = [];
	let running = 0;
	return async (run) => {
		if (running < max) running += 1;
		// An ended function hands its place over, so the count stays.
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await run();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else running -= 1;
		}
	};
}

/**
 * Returns the topic of an announcement without parsing its frames; undefined where only a full
 * parse would show it.
 */
export function topicOfHint(text: string): string | undefined {
	return TOPIC_FIRST.exec(text)?.[1];
}

async function open(state: State): Promise<void> {
	const heads = await state.outbox.heads([state.topic]);
	state.position = heads.get(state.topic) ?? 0;
	// A hint that came meanwhile may be of a commit that the head did not include yet.
	if (state.behind) void readQuietly(state);
}

/**
 * Reads for callers that do not wait: after a failure it stays `behind`, and the next tick retries.
 */
async function readQuietly(state: State): Promise<void> {
	try {
		await read(state);
	} catch (error) {
		state.log.warn("a topic's frames cannot be read", { topic: state.topic, error });
	}
}

function read(state: State): Promise<void> {
	// Begins a microtask later, so that it never ends before it is stored as under way.
	state.reading ??= Promise.resolve().then(() => readAll(state));
	return state.reading;
}

async function readAll(state: State): Promise<void> {
	try {
		await state.opened;
		while (state.behind && !state.ended) {
			state.behind = false;
			await readOnce(state);
		}
	} catch (error) {
		state.behind = true;
		throw error;
	} finally {
		// Synchronously after `behind` was found false, so that no hint falls in between.
		state.reading = undefined;
	}
}

async function readOnce(state: State): Promise<void> {
	const position = state.position ?? 0;
	const { head, batches } = await state.outbox.read(state.topic, position);
	if (state.ended) return;
	if (head < position) return state.onRenumbered();
	if (head - position > FRAMES_MISSED_MAX) return skipTo(state, head);
	if (batches.length === 0 && head > position) return skipTo(state, head);
	for (const batch of batches) {
		if (batch.seqFirst > (state.position ?? 0) + 1) return skipTo(state, head);
		await publishPaced(state, batch);
	}
	// There was more than one read returns.
	if ((state.position ?? 0) < head) state.behind = true;
}

/** Skips frames that were pruned, or are too many: clients have to read the state again. */
function skipTo(state: State, seq: number): void {
	const { topic, position } = state;
	state.log.warn("a topic lost frames, its streams start anew", { topic, from: position, to: seq });
	state.position = seq;
	publishControl(state, { type: "snapshot_required", data: { reason: "frames_lost" } });
}

function publishControl(
	{ topic, position, clock, publisher }: State,
	frame: { type: "ping" | "snapshot_required"; data: Record<string, unknown> },
): void {
	const seq = position ?? 0;
	publisher.publish(topic, controlFrame({ ...frame, seq, topic, atMs: clock.nowMs() }));
}

async function publishPaced(state: State, batch: FrameBatch): Promise<void> {
	for (const frame of newerThan(state.position ?? 0, batch)) {
		if (state.publisher.roomBytes() <= 0) await state.publisher.nextTurn();
		if (state.ended) return;
		publish(state, frame);
	}
}

function newerThan(position: number, batch: FrameBatch): RenderedFrame[] {
	// Most repeated hints are repeated whole: those are not rendered again.
	if (batch.seqFirst + batch.frames.length - 1 <= position) return [];
	return renderFrames(batch).filter(({ seq }) => seq > position);
}

function publish(state: State, frame: RenderedFrame): void {
	state.publisher.publish(state.topic, frame.text);
	state.position = frame.seq;
	state.onPublished();
}

function takeHint(state: State, batch: FrameBatch): void {
	if (state.collected && state.collected.length < BATCHES_COLLECTED_MAX) {
		state.collected.push(batch);
		return;
	}
	publishCollected(state);
	publishHint(state, batch);
	if (!state.collected && state.followers() >= COLLECT_FOLLOWERS_MIN) void collect(state);
}

function publishCollected(state: State): boolean {
	const batches = state.collected?.splice(0) ?? [];
	for (const batch of batches) publishHint(state, batch);
	return batches.length > 0;
}

function publishHint(state: State, batch: FrameBatch): void {
	const { position, publisher } = state;
	if (state.ended) return;
	if (position === undefined || state.reading) {
		state.behind = true;
		return;
	}
	const fresh = newerThan(position, batch);
	if (fresh.length === 0) return;
	const bytes = fresh.reduce((sum, { text }) => sum + text.length, 0);
	if (batch.seqFirst <= position + 1 && bytes <= publisher.roomBytes()) {
		for (const frame of fresh) publish(state, frame);
		return;
	}
	state.behind = true;
	void readQuietly(state);
}

/**
 * Publishes a single frame at once. With many sockets the writes cost more than the frame, so
 * frames that follow within milliseconds are collected; the position moves when they go out.
 */
async function collect(state: State): Promise<void> {
	state.collected = [];
	do {
		await state.collect();
	} while (publishCollected(state));
	state.collected = undefined;
}
