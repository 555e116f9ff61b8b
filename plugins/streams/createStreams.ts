import { z } from "zod";
import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import { closeCodes } from "#plugins/streams/closeCodes.ts";
import { connectionCounts } from "#plugins/streams/connectionCounts.ts";
import { controlFrame } from "#plugins/streams/controlFrame.ts";
import { type Admission, createSession, type Session } from "#plugins/streams/createSession.ts";
import type { Feed, Tailer } from "#plugins/streams/createTailer.ts";
import { inboundAllowance } from "#plugins/streams/inboundAllowance.ts";
import { joinTopic } from "#plugins/streams/joinTopic.ts";
import { REPLAY_READS_MAX } from "#plugins/streams/limits.ts";
import { type ReplayGate, replayGate } from "#plugins/streams/replayGate.ts";
import type { StreamSocket } from "#plugins/streams/StreamSocket.ts";
import type { StreamMetrics } from "#plugins/streams/streamMetrics.ts";

/** All open streams: events of their sockets from the routes, and actions on all of them. */
export type Streams = {
	open(socket: StreamSocket, admission: Admission & { client: string }): void;
	message(socket: StreamSocket, message: unknown): void;
	drain(socket: StreamSocket): void;
	pong(socket: StreamSocket): void;
	closed(socket: StreamSocket, code: number): void;
	/** Closes clients that do not keep up. `look`: this is the regular check, once a second. */
	checkUnsent(options: { look: boolean }): void;
	/** Pings every client, and closes those that have not answered for long. */
	probe(): void;
	closeAll(code: number, reason: string): void;
	/** From now on sends new clients to another server. */
	refuse(): void;
};

export type StreamsOptions = {
	tailer: Pick<Tailer, "follow" | "epoch">;
	outbox: Pick<Outbox, "read">;
	connectionsPerClientMax: number;
	clock: Clock;
	log: Log;
	metrics: StreamMetrics;
};

type Entry = { session: Session; client: string; mayTalk: () => boolean };

type Registry = StreamsOptions & { gate: ReplayGate; entries: Map<StreamSocket, Entry> };

const pingSchema = z.object({ type: z.literal("ping") });

/** Makes the registry of this process's open streams. */
export function createStreams(options: StreamsOptions): Streams {
	const { metrics, clock } = options;
	const counts = connectionCounts(options.connectionsPerClientMax);
	const entries = new Map<StreamSocket, Entry>();
	const registry = { ...options, entries, gate: replayGate(REPLAY_READS_MAX) };
	let refusing = false;

	return {
		open(socket, admission) {
			const { client, stream } = admission;
			if (refusing) {
				socket.close(closeCodes.restart, "restarting");
				return;
			}
			if (!counts.enter(client)) {
				socket.close(closeCodes.tooManyConnections, "too many connections");
				return;
			}
			const session = createSession(socket, admission);
			entries.set(socket, { session, client, mayTalk: inboundAllowance(clock) });
			metrics.opened(stream);
			void join(socket, session, registry);
		},
		message(socket, message) {
			const entry = entries.get(socket);
			entry?.session.heard();
			if (entry?.session.isOpen()) answer(entry, message, clock.nowMs());
		},
		drain: (socket) => entries.get(socket)?.session.onDrain(),
		pong: (socket) => entries.get(socket)?.session.heard(),
		closed(socket, code) {
			metrics.closed(code);
			const entry = entries.get(socket);
			if (!entry) return;
			entries.delete(socket);
			counts.leave(entry.client);
			metrics.ended(entry.session.admission.stream);
			entry.session.release();
		},
		checkUnsent(look) {
			for (const { session } of entries.values()) session.checkUnsent(look);
		},
		probe() {
			for (const { session } of entries.values()) {
				session.probe();
				if (session.isOpen()) session.admission.watch?.();
			}
		},
		closeAll(code, reason) {
			for (const { session } of entries.values()) session.close(code, reason);
		},
		refuse() {
			refusing = true;
		},
	};
}

async function join(socket: StreamSocket, session: Session, registry: Registry): Promise<void> {
	const { clock, outbox, gate, log, tailer } = registry;

	const subscribe = (topic: string) => socket.subscribe(topic);
	try {
		for (const topic of session.admission.topics) {
			if (!session.isOpen()) return;
			const feed = await tailer.follow(topic);
			session.join(feed);
			const epoch = await tailer.epoch();
			if (!session.isOpen()) return;
			await joinTopic({ feed, session, subscribe, epoch, outbox, gate, clock });
		}
	} catch (error) {
		log.warn("a stream cannot be opened", { topics: session.admission.topics, error });
		session.close(closeCodes.tryLater, "the frames cannot be read right now");
	}
}

function answer({ session, mayTalk }: Entry, message: unknown, atMs: number): void {
	const feed = session.feeds[0];
	if (!mayTalk()) session.close(closeCodes.policy, "too many messages");
	// Before it follows a topic, a stream has no number to answer with.
	else if (feed) session.send(replyTo(message, feed, atMs));
}

function replyTo(message: unknown, feed: Feed, atMs: number): string {
	const about = { seq: feed.position(), topic: feed.topic, atMs };
	if (pingSchema.safeParse(message).success) {
		return controlFrame({ ...about, type: "pong", data: {} });
	}
	// No part of the message is repeated: an echo would be an amplifier.
	const data = { code: "unsupported_message", message: 'Streams only take {"type":"ping"}.' };
	return controlFrame({ ...about, type: "error", data });
}
