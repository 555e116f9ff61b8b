import type { Clock } from "#core/clock/Clock.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import { type RenderedFrame, renderFrames } from "#core/outbox/renderFrames.ts";
import { controlFrame, type SnapshotReason } from "#plugins/streams/controlFrame.ts";
import type { Session } from "#plugins/streams/createSession.ts";
import type { Feed } from "#plugins/streams/createTailer.ts";
import {
	FRAMES_MISSED_MAX,
	PING_INTERVAL_MS,
	REPLAY_UNSENT_BYTES_MAX,
} from "#plugins/streams/limits.ts";
import type { ReplayGate } from "#plugins/streams/replayGate.ts";

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

/**
 * Sends hello and follows the topic from here; where the client asked for frames that are lost, it
 * tells it to read the state again.
 */
function enter(options: JoinOptions, lost: SnapshotReason | undefined): void {
	hello(options, { seq: options.feed.position(), resumed: false });
	if (lost) restart(options, lost);
	else subscribe(options);
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

function hello(options: JoinOptions, greeting: { seq: number; resumed: boolean }): void {
	const { session, feed, epoch, clock } = options;
	const { seq, resumed } = greeting;
	const data = { resumed, head: feed.position(), pingIntervalMs: PING_INTERVAL_MS };
	const atMs = clock.nowMs();
	session.send(controlFrame({ type: "hello", seq, topic: feed.topic, atMs, data, epoch }));
}
