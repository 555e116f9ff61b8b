// Keeps one client's stream: joins topics, replays missed frames, closes slow readers.

import type { Clock } from "#core/clock.ts";
import { type Outbox, type RenderedFrame, renderFrames } from "#core/outbox.ts";
import {
	controlFrame,
	type ReplayGate,
	type SnapshotReason,
} from "#plugins/streams/createTopicTail.ts";
import {
	FRAMES_MISSED_MAX,
	INBOUND_MESSAGES_MAX,
	INBOUND_WINDOW_MS,
	PING_INTERVAL_MS,
	PINGS_UNANSWERED_MAX,
	REPLAY_DRAIN_TIMEOUT_MS,
	REPLAY_UNSENT_BYTES_MAX,
	UNSENT_BYTES_HIGH,
	UNSENT_BYTES_MAX,
} from "#plugins/streams/limits.ts";
import type { Admission, Feed, StreamSocket } from "#plugins/streams/model.ts";

/** Holds one open stream. */
export type Session = {
	readonly admission: Admission;
	/** The topics that it has joined, in order. */
	readonly feeds: readonly Feed[];
	isOpen(): boolean;
	join(feed: Feed): void;
	send(text: string): void;
	/** Waits until at most so many bytes are unsent; a client that does not read is closed. */
	drained(unsentBytesMax: number): Promise<void>;
	/** Called when the socket has written something. */
	onDrain(): void;
	/** Closes a client that does not keep up. `look`: this is the regular check, once a second. */
	checkUnsent(options: { look: boolean }): void;
	/** Pings the client; closes one that left the last pings unanswered. */
	probe(): void;
	/** Records that the client answered or sent something. */
	heard(): void;
	close(code: number, reason: string): void;
	/** Releases what the session holds, once the socket is closed. */
	release(): void;
};

export type JoinOptions = {
	feed: Feed;
	session: Session;
	/** Puts the session's socket into the topic: from here on it gets published frames. */
	subscribe: (topic: string) => void;
	epoch: string;
	outbox: Pick<Outbox, "read">;
	gate: ReplayGate;
	clock: Clock;
};

/** The frames after the point where a client stopped, or why it cannot have them. */
type Missed =
	| { kind: "frames"; frames: readonly RenderedFrame[] }
	| { kind: "lost"; reason: SnapshotReason };

/**
 * Says why a stream ends, as the client sees it. 4000 and above are ours, the others RFC 6455's.
 */
export const closeCodes = {
	/** The client sent more than a stream takes. */
	policy: 1008,
	/** The process ends, or its database was restored: the client connects again and resumes. */
	restart: 1012,
	/** The log cannot be read right now: the client connects again later. */
	tryLater: 1013,
	/** The client did not say who it is in time, or may not read any more. */
	unauthorized: 4001,
	/** The client reads more slowly than its topics publish. */
	slowConsumer: 4008,
	/** The client has answered no ping: the connection is dead. */
	silent: 4010,
	/** The client's address holds too many streams. */
	tooManyConnections: 4029,
} as const;

/** Makes the state of one stream around its socket. Its topics are left when it ends. */
export function createSession(socket: StreamSocket, admission: Admission): Session {
	const feeds: Feed[] = [];
	let open = true;
	let highBefore = false;
	let unanswered = 0;
	let wake: (() => void) | undefined;

	function close(code: number, reason: string): void {
		if (!open) return;
		release();
		socket.close(code, reason);
	}
	function release(): void {
		open = false;
		for (const feed of feeds) feed.leave();
		wake?.();
	}
	const tooSlow = () => {
		close(closeCodes.slowConsumer, "slow consumer: resume with the last seq");
	};
	return {
		admission,
		feeds,
		isOpen: () => open,
		join(feed) {
			if (open) feeds.push(feed);
			else feed.leave();
		},
		send(text) {
			// The result of `send` is not used: at its limit Bun closes, and before that `checkUnsent`
			// does.
			if (open) socket.send(text);
		},
		async drained(unsentBytesMax) {
			const isFull = () => open && socket.getBufferedAmount() > unsentBytesMax;
			if (!isFull()) return;
			const deadline = setTimeout(tooSlow, REPLAY_DRAIN_TIMEOUT_MS);
			while (isFull()) {
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
			}
			clearTimeout(deadline);
			wake = undefined;
		},
		onDrain: () => wake?.(),
		checkUnsent({ look }) {
			if (!open) return;
			const unsentBytes = socket.getBufferedAmount();
			const high = unsentBytes > UNSENT_BYTES_HIGH;
			if (unsentBytes > UNSENT_BYTES_MAX || (look && high && highBefore)) tooSlow();
			if (look) highBefore = high;
		},
		probe() {
			if (!open) return;
			if (unanswered >= PINGS_UNANSWERED_MAX) {
				close(closeCodes.silent, "no answer to pings");
				return;
			}
			unanswered += 1;
			socket.ping();
		},
		heard() {
			unanswered = 0;
		},
		close,
		release,
	};
}

/** Returns a function that says whether one more message of a client is within the limit. */
export function inboundAllowance(clock: Clock): () => boolean {
	let windowStartMs = clock.nowMs();
	let count = 0;
	return () => {
		const nowMs = clock.nowMs();
		if (nowMs - windowStartMs >= INBOUND_WINDOW_MS) {
			windowStartMs = nowMs;
			count = 0;
		}
		count += 1;
		return count <= INBOUND_MESSAGES_MAX;
	};
}

/**
 * Brings one client into one topic: hello, the missed frames, then all later ones.
 *
 * The socket enters the topic synchronously when it has got all published frames, so nothing is
 * lost or doubled between replay and live frames.
 */
export async function joinTopic(options: JoinOptions): Promise<void> {
	const { feed, session, epoch } = options;
	const { resume } = session.admission;
	if (!resume) return enter(options, undefined);
	if (resume.epoch !== undefined && resume.epoch !== epoch) return enter(options, "epoch_changed");
	// The client may come from a process that was ahead of this one.
	if (resume.afterSeq > feed.position()) await feed.catchUp();
	if (resume.afterSeq > feed.position()) return enter(options, "seq_unknown");

	let sent = resume.afterSeq;
	let greeted = false;
	while (session.isOpen()) {
		const missed = await readMissed(sent, options);
		if (!session.isOpen()) return;
		if (missed.kind === "lost") {
			return greeted ? restart(options, missed.reason) : enter(options, missed.reason);
		}
		if (!greeted) hello(options, { seq: sent, resumed: true });
		greeted = true;
		for (const frame of missed.frames) {
			// Newer frames than the position reach this socket by being published.
			if (frame.seq > feed.position()) break;
			session.send(frame.text);
			sent = frame.seq;
			await session.drained(REPLAY_UNSENT_BYTES_MAX);
		}
		if (sent === feed.position()) return subscribe(options);
	}
}

/**
 * Sends hello and follows the topic from here; where the client asked for frames that are lost, it
 * is asked to read the state again.
 */
function enter(options: JoinOptions, lost: SnapshotReason | undefined): void {
	hello(options, { seq: options.feed.position(), resumed: false });
	if (lost) restart(options, lost);
	else subscribe(options);
}

function hello(options: JoinOptions, greeting: { seq: number; resumed: boolean }): void {
	const { session, feed, epoch, clock } = options;
	const { seq, resumed } = greeting;
	const data = { resumed, head: feed.position(), pingIntervalMs: PING_INTERVAL_MS };
	const atMs = clock.nowMs();
	session.send(controlFrame({ type: "hello", seq, topic: feed.topic, atMs, data, epoch }));
}

function restart(options: JoinOptions, reason: SnapshotReason): void {
	const { session, feed, clock } = options;
	const { topic } = feed;
	const seq = feed.position();
	const atMs = clock.nowMs();
	session.send(controlFrame({ type: "snapshot_required", seq, topic, atMs, data: { reason } }));
	subscribe(options);
}

function subscribe({ session, feed, subscribe: enterTopic }: JoinOptions): void {
	if (session.isOpen()) enterTopic(feed.topic);
}

async function readMissed(sent: number, { feed, outbox, gate }: JoinOptions): Promise<Missed> {
	const missedCount = feed.position() - sent;
	if (missedCount === 0) return { kind: "frames", frames: [] };
	if (missedCount > FRAMES_MISSED_MAX) return { kind: "lost", reason: "too_many_missed" };
	const { batches } = await gate(() => outbox.read(feed.topic, sent));
	const frames: RenderedFrame[] = [];
	let expected = sent + 1;
	for (const batch of batches) {
		// Pruned from the old end: the frames in between do not exist any more.
		if (batch.seqFirst > expected) return { kind: "lost", reason: "too_old" };
		expected = batch.seqFirst + batch.frames.length;
		frames.push(...renderFrames(batch).filter(({ seq }) => seq > sent));
	}
	return frames.length === 0 ? { kind: "lost", reason: "too_old" } : { kind: "frames", frames };
}
