// Joins the topics of followed collections, and joins them again when that breaks.

import type { Clock } from "#core/clock.ts";
import {
	JOIN_BEAT_MS,
	JOIN_TIMEOUT_MS,
	JOINS_PER_BEAT,
	REJOIN_DELAYS_MS,
	STEADY_MS,
} from "#plugins/provider/limits.ts";
import type { PhoenixFrame, Timers } from "#plugins/provider/stream/model.ts";

export type PacedQueue<Item> = {
	add(item: Item): void;
	remove(item: Item): void;
	clear(): void;
};

export type TopicOptions = {
	slug: string;
	/** The topic's name at the server. */
	name: string;
	clock: Clock;
	timers: Timers;
	random: () => number;
	newRef(): string;
	send(frame: PhoenixFrame): void;
	/** Called when it wants to be joined. */
	onDue(topic: Topic): void;
	/** Called when its events arrive from now on; those after `sinceMs` may be missing. */
	onJoined(sinceMs: number): void;
	/** Called when the server refuses it; it is tried again later. */
	onRefused(): void;
};

export type Topic = {
	readonly slug: string;
	isJoined(): boolean;
	join(): void;
	leave(): void;
	/** Handles the loss of the socket, and of events after `heardMs`. */
	down(heardMs: number): void;
	/** Handles a frame and returns its kind. `heardMs`: when the frame before it came. */
	receive(frame: PhoenixFrame, heardMs: number): "event" | "protocol" | "stray";
};

export type TopicBookOptions = {
	clock: Clock;
	timers: Timers;
	random: () => number;
	newRef(): string;
	send(frame: PhoenixFrame): void;
	/**
	 * Called when events of this collection arrive from now on; those after `sinceMs` may be missing.
	 */
	onJoined(slug: string, sinceMs: number): void;
	onRefused(slug: string): void;
};

/** Says what a frame is: an event of a followed collection, the protocol's own, or of no topic. */
export type TopicVerdict = { kind: "event"; slug: string } | { kind: "protocol" | "stray" };

export type TopicBook = {
	/** Sets the topics by slug, in place of the former ones. */
	follow(wanted: ReadonlyMap<string, string>): void;
	/** Handles a newly open socket, on which nothing is joined yet. */
	up(): void;
	down(heardMs: number): void;
	/** Handles a frame. `heardMs`: when the frame before this one came. */
	receive(frame: PhoenixFrame, heardMs: number): TopicVerdict;
	size(): number;
	joined(): number;
};

const LONGEST_MS = REJOIN_DELAYS_MS[REJOIN_DELAYS_MS.length - 1] ?? 0;

/** Joins and leaves topics one by one, through all losses of the socket. */
export function createTopicBook(options: TopicBookOptions): TopicBook {
	const { timers, onJoined, onRefused } = options;
	const topics = new Map<string, Topic>();
	let isUp = false;
	const queue = createPacedQueue<Topic>({
		timers,
		perBeat: JOINS_PER_BEAT,
		beatMs: JOIN_BEAT_MS,
		run: (topic) => topic.join(),
	});

	return {
		follow(wanted) {
			const names = new Set(wanted.values());
			for (const [name, topic] of [...topics]) if (!names.has(name)) drop(name, topic);
			for (const [slug, name] of wanted) if (!topics.has(name)) add(slug, name);
		},
		up() {
			isUp = true;
			for (const topic of topics.values()) queue.add(topic);
		},
		down(heardMs) {
			isUp = false;
			queue.clear();
			for (const topic of topics.values()) topic.down(heardMs);
		},
		receive(frame, heardMs) {
			const topic = topics.get(frame.topic);
			if (!topic) return { kind: "stray" };
			const kind = topic.receive(frame, heardMs);
			return kind === "event" ? { kind, slug: topic.slug } : { kind };
		},
		size: () => topics.size,
		joined: () => topics.values().reduce((sum, topic) => sum + Number(topic.isJoined()), 0),
	};

	function add(slug: string, name: string) {
		const topic = createTopic({
			...options,
			slug,
			name,
			onDue: (due) => isUp && queue.add(due),
			onJoined: (sinceMs) => onJoined(slug, sinceMs),
			onRefused: () => onRefused(slug),
		});
		topics.set(name, topic);
		if (isUp) queue.add(topic);
	}

	function drop(name: string, topic: Topic) {
		topics.delete(name);
		queue.remove(topic);
		topic.leave();
	}
}

/** Makes a queue that lets a few items through at once, and the next ones only after a pause. */
export function createPacedQueue<Item>(options: {
	timers: Timers;
	perBeat: number;
	beatMs: number;
	/** Called when it is this item's turn. */
	run(item: Item): void;
}): PacedQueue<Item> {
	const { timers, perBeat, beatMs, run } = options;
	const waiting = new Set<Item>();
	let room = perBeat;
	let isPausing = false;

	return {
		add(item) {
			waiting.add(item);
			flow();
		},
		remove: (item) => void waiting.delete(item),
		clear: () => waiting.clear(),
	};

	function flow() {
		for (const item of waiting) {
			if (room === 0) break;
			room--;
			waiting.delete(item);
			run(item);
		}
		if (room === perBeat || isPausing) return;
		isPausing = true;
		timers.after(beatMs, () => {
			isPausing = false;
			room = perBeat;
			flow();
		});
	}
}

/** Makes one collection's topic: joined, and joined again whenever that breaks. */
export function createTopic(options: TopicOptions): Topic {
	const { slug, name, clock, timers, random, newRef, send } = options;
	let phase: "resting" | "joining" | "joined" = "resting";
	/** The present join; frames of an earlier one are ignored. */
	let joinRef: string | null = null;
	let attempt = 0;
	let joinedAtMs = 0;
	let missedSinceMs = clock.nowMs();
	let cancel = () => {};
	const topic: Topic = { slug, isJoined: () => phase === "joined", join, leave, down, receive };
	return topic;

	function join() {
		cancel();
		phase = "joining";
		joinRef = newRef();
		cancel = timers.after(JOIN_TIMEOUT_MS, () => {
			leave();
			retry();
		});
		send({ joinRef, ref: joinRef, topic: name, event: "phx_join", payload: {} });
	}

	function leave() {
		const left = { joinRef, ref: newRef(), topic: name, event: "phx_leave", payload: {} };
		if (phase !== "resting") send(left);
		rest();
	}

	function down(heardMs: number) {
		if (phase === "joined") missedSinceMs = heardMs;
		attempt = 0;
		rest();
	}

	function receive(frame: PhoenixFrame, heardMs: number) {
		if (phase === "resting") return "stray";
		if (frame.joinRef !== null && frame.joinRef !== joinRef) return "stray";
		switch (frame.event) {
			case "phx_reply":
				if (frame.ref === joinRef && phase === "joining") answered(frame);
				return "protocol";
			case "phx_error":
			case "phx_close":
				// Serializer 1.0.0 has no join_ref, and names the join in `ref`.
				if (frame.ref !== null && frame.ref !== joinRef) return "stray";
				broke(heardMs);
				return "protocol";
			default:
				return "event";
		}
	}

	function answered({ payload }: PhoenixFrame) {
		if (payload.status !== "ok") {
			options.onRefused();
			return retry();
		}
		cancel();
		phase = "joined";
		joinedAtMs = clock.nowMs();
		options.onJoined(missedSinceMs);
	}

	function broke(heardMs: number) {
		if (phase === "joined") missedSinceMs = heardMs;
		if (phase === "joined" && clock.nowMs() - joinedAtMs >= STEADY_MS) attempt = 0;
		retry();
	}

	/** Joins it again after a while; the socket stays. */
	function retry() {
		rest();
		cancel = timers.after(rejoinDelayMs(attempt, random), () => options.onDue(topic));
		attempt++;
	}

	function rest() {
		cancel();
		phase = "resting";
		joinRef = null;
	}
}

/**
 * Returns how long to wait before a topic is joined again, in ms: the table's value, up to a
 * quarter less or more.
 */
export function rejoinDelayMs(attempt: number, random: () => number): number {
	return (REJOIN_DELAYS_MS[attempt] ?? LONGEST_MS) * (0.75 + random() / 2);
}
