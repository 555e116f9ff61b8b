import type { Clock } from "#core/clock/Clock.ts";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import { JOIN_BEAT_MS, JOINS_PER_BEAT } from "#plugins/provider/stream/limits.ts";
import type { Timers } from "#plugins/provider/stream/Timers.ts";
import { createPacedQueue } from "#plugins/provider/stream/topics/createPacedQueue.ts";
import { createTopic, type Topic } from "#plugins/provider/stream/topics/createTopic.ts";

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

/** The kind of a frame. */
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
