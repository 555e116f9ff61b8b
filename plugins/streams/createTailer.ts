// Follows the topics that clients of this process read, by hints and by the database.

import type { Clock } from "#core/clock.ts";
import type { Outbox } from "#core/outbox.ts";
import {
	createTopicTail,
	parseHint,
	type TopicTail,
	type TopicTailOptions,
	topicOfHint,
} from "#plugins/streams/createTopicTail.ts";
import { EPOCH_AGE_MAX_MS } from "#plugins/streams/limits.ts";
import type { Feed } from "#plugins/streams/model.ts";

export type Epoch = {
	/** Returns the epoch, at most a second old, however many streams open at once. */
	current(): Promise<string>;
	/** Reads the epoch from the database now. */
	refresh(): Promise<string>;
};

export type EpochOptions = {
	read: () => Promise<string>;
	clock: Clock;
	/** Called when the epoch differs from the known one: numbers of the two cannot be compared. */
	onChanged: () => void;
};

export type Tailer = {
	follow(topic: string): Promise<Feed>;
	/** Takes a message of the bus. */
	hint(text: string): void;
	/**
	 * Reads from PostgreSQL the frames that no hint announced; rejects where it does not answer.
	 * `reads` resolves when they are published: not awaited, so that one busy topic holds up no
	 * other.
	 */
	tick(): Promise<{ reads: Promise<unknown> }>;
	/** Sends each topic's sockets a ping with its position. */
	ping(): void;
	epoch(): Promise<string>;
};

export type TailerOptions = Omit<TopicTailOptions, "outbox"> & {
	outbox: Pick<Outbox, "read" | "heads" | "epoch">;
};

type Followed = { tail: TopicTail; followers: number };

/** Makes the tailer, which follows only topics that this process has subscribers for. */
export function createTailer(options: TailerOptions): Tailer {
	const { outbox, clock, log } = options;
	const topics = new Map<string, Followed>();
	const epoch = createEpoch({ read: outbox.epoch, clock, onChanged: renumber });

	function renumber(): void {
		log.warn("the database numbers its frames anew, every stream starts over");
		for (const { tail } of topics.values()) tail.end();
		topics.clear();
		options.onRenumbered();
	}
	return {
		follow: (topic) => {
			const known = topics.get(topic);
			if (known) return follow(known, topics);
			const tail = createTopicTail(topic, {
				...options,
				onRenumbered: renumber,
				followers: () => followed.followers,
			});
			const followed: Followed = { tail, followers: 0 };
			topics.set(topic, followed);
			return follow(followed, topics);
		},
		hint(text) {
			if (topics.size === 0) return;
			// Most hints are of topics without followers here, and parsing one is most of its cost.
			const topic = topicOfHint(text);
			if (topic !== undefined && !topics.has(topic)) return;
			const batch = parseHint(text);
			if (batch) topics.get(batch.topic)?.tail.hint(batch);
		},
		async tick() {
			if (topics.size === 0) return { reads: Promise.resolve() };
			await epoch.refresh();
			// Positions from before the heads are read: a hint may arrive before the answer.
			const before = [...topics.values()].map(({ tail }) => ({ tail, position: tail.position() }));
			const heads = await outbox.heads(before.map(({ tail }) => tail.topic));
			const headOf = ({ topic }: TopicTail) => heads.get(topic) ?? 0;
			if (before.some(({ tail, position }) => headOf(tail) < (position ?? 0))) renumber();
			return { reads: Promise.all(before.map(({ tail }) => tail.head(headOf(tail)))) };
		},
		ping() {
			for (const { tail } of topics.values()) tail.ping();
		},
		epoch: epoch.current,
	};
}

/** Remembers the numbering of the database, and notices when a backup was restored. */
export function createEpoch({ read, clock, onChanged }: EpochOptions): Epoch {
	let known: string | undefined;
	let answer: { atMs: number; epoch: Promise<string> } | undefined;

	async function ask(): Promise<string> {
		const epoch = await read();
		const changed = known !== undefined && known !== epoch;
		known = epoch;
		if (changed) onChanged();
		return epoch;
	}
	function refresh(): Promise<string> {
		const asked = { atMs: clock.nowMs(), epoch: ask() };
		answer = asked;
		// A failure is not remembered: the next stream asks again.
		asked.epoch.catch(() => {
			if (answer === asked) answer = undefined;
		});
		return asked.epoch;
	}
	return {
		current: () =>
			answer && clock.nowMs() - answer.atMs < EPOCH_AGE_MAX_MS ? answer.epoch : refresh(),
		refresh,
	};
}

async function follow(followed: Followed, topics: Map<string, Followed>): Promise<Feed> {
	const { tail } = followed;
	followed.followers += 1;
	let left = false;
	const leave = () => {
		if (left) return;
		left = true;
		followed.followers -= 1;
		if (followed.followers > 0) return;
		tail.end();
		// After a renumbering the name may belong to a new tail.
		if (topics.get(tail.topic) === followed) topics.delete(tail.topic);
	};
	try {
		await tail.opened;
	} catch (error) {
		leave();
		throw error;
	}
	return { topic: tail.topic, position: () => tail.position() ?? 0, catchUp: tail.catchUp, leave };
}
