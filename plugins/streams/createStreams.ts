// Keeps all open streams of this process, and runs the loops that feed and check them.

import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Outbox } from "#core/outbox.ts";
import { sleep } from "#core/time.ts";
import {
	closeCodes,
	createSession,
	inboundAllowance,
	joinTopic,
	type Session,
} from "#plugins/streams/createSession.ts";
import type { Tailer } from "#plugins/streams/createTailer.ts";
import { controlFrame, type ReplayGate, replayGate } from "#plugins/streams/createTopicTail.ts";
import { streamFault } from "#plugins/streams/faults.ts";
import {
	PING_INTERVAL_MS,
	PUBLISH_BYTES_PER_TURN_MAX,
	REPLAY_READS_MAX,
	TAIL_INTERVAL_MS,
	TICKET_WAIT_MS,
} from "#plugins/streams/limits.ts";
import type {
	Admission,
	Feed,
	Publisher,
	PublishingServer,
	StreamName,
	StreamSocket,
} from "#plugins/streams/model.ts";

export type ConnectionCounts = {
	/** Counts a new stream; returns false, without counting, where the client holds the maximum. */
	enter(client: string): boolean;
	leave(client: string): void;
};

export type PublisherOptions = {
	server: () => PublishingServer | undefined;
	/** Waits for the sockets to write. */
	nextTurn: () => Promise<void>;
	/** Called each time a turn's bytes went out: the moment to check for slow readers. */
	onTurnFull: () => void;
};

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
	/** Sends new clients to another server from now on. */
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

export type StreamRunner = {
	start(): void;
	stop(): Promise<void>;
	/** Returns how long ago the log was last read without a failure. */
	silentMs(): number;
};

export type RunStreamsOptions = {
	tailer: Pick<Tailer, "tick" | "ping">;
	streams: Pick<Streams, "checkUnsent" | "probe">;
	clock: Clock;
	log: Log;
	/** Waits, or returns early when the signal aborts. */
	wait?: (ms: number, signal: AbortSignal) => Promise<void>;
};

export type StreamMetrics = {
	opened(stream: StreamName): void;
	ended(stream: StreamName): void;
	closed(code: number): void;
	published(): void;
};

type Entry = {
	session: Session;
	client: string;
	mayTalk: () => boolean;
	/** Takes the first message; null once it came, and where none is waited for. */
	admit: ((message: unknown) => Promise<void>) | null;
	isAllowed: (() => Promise<boolean>) | null;
};

type Registry = StreamsOptions & { gate: ReplayGate; entries: Map<StreamSocket, Entry> };

/** Statuses from here on are our own failures, and no answer to a client's ticket. */
const SERVER_FAULTS_FROM = 500;

const pingSchema = z.object({ type: z.literal("ping") });

/**
 * A client may close with any of a thousand codes; only those with a meaning are counted
 * separately.
 */
const CODES = new Set([
	...[1000, 1001, 1005, 1006, 1008, 1009, 1011, 1012, 1013],
	...[4001, 4008, 4010, 4029],
]);

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
			const { isAllowed = null } = admission;
			const mayTalk = inboundAllowance(clock);
			const entry: Entry = { session, client, mayTalk, admit: null, isAllowed };
			entries.set(socket, entry);
			metrics.opened(stream);
			if (admission.admit) awaitTicket(socket, entry, registry);
			else void join(socket, session, { registry, topics: admission.topics });
		},
		message(socket, message) {
			const entry = entries.get(socket);
			entry?.session.heard();
			if (!entry?.session.isOpen()) return;
			const { admit } = entry;
			if (admit) void admit(message);
			else answer(entry, message, clock.nowMs());
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
			for (const entry of entries.values()) {
				const { session } = entry;
				session.probe();
				if (!session.isOpen()) continue;
				session.admission.watch?.();
				if (entry.isAllowed) void recheck(entry, entry.isAllowed);
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

/** Counts open streams by client address. Holds one entry for each client with a stream. */
export function connectionCounts(max: number): ConnectionCounts {
	const counts = new Map<string, number>();
	return {
		enter(client) {
			const count = counts.get(client) ?? 0;
			if (count >= max) return false;
			counts.set(client, count + 1);
			return true;
		},
		leave(client) {
			const count = counts.get(client) ?? 0;
			if (count <= 1) counts.delete(client);
			else counts.set(client, count - 1);
		},
	};
}

/**
 * Makes a publisher that counts what goes out between two turns of the event loop.
 *
 * Within one turn only what the kernel takes at once is written, so a megabyte published in a row
 * would end every socket at Bun's backpressure limit, the fast ones too.
 */
export function createPublisher({ server, nextTurn, onTurnFull }: PublisherOptions): Publisher {
	let turnBytes = 0;
	let unseenBytes = 0;
	let turn: Promise<void> | undefined;

	const passTurn = (): Promise<void> => {
		turn ??= nextTurn().then(() => {
			turn = undefined;
			turnBytes = 0;
		});
		return turn;
	};
	return {
		publish(topic, text) {
			server()?.publish(topic, text);
			turnBytes += text.length;
			unseenBytes += text.length;
			void passTurn();
			if (unseenBytes < PUBLISH_BYTES_PER_TURN_MAX) return;
			unseenBytes = 0;
			onTurnFull();
		},
		roomBytes: () => PUBLISH_BYTES_PER_TURN_MAX - turnBytes,
		nextTurn: passTurn,
	};
}

/**
 * Starts the two loops behind the streams. Two, because a hanging database must not delay pings:
 * clients would take a late frame for a dead connection, and all would reconnect at once.
 */
export function runStreams(options: RunStreamsOptions): StreamRunner {
	const { tailer, streams, clock, log, wait = sleep } = options;
	const stopping = new AbortController();
	const { signal } = stopping;
	let lastReadMs = clock.nowMs();
	let running: Promise<unknown> = Promise.resolve();

	async function tail(): Promise<void> {
		while (!signal.aborted) {
			try {
				await tailer.tick();
				lastReadMs = clock.nowMs();
			} catch (error) {
				log.warn("the log of frames cannot be read", { error });
			}
			await wait(TAIL_INTERVAL_MS, signal);
		}
	}
	async function watch(): Promise<void> {
		let pingedMs = clock.nowMs();
		while (!signal.aborted) {
			await wait(TAIL_INTERVAL_MS, signal);
			streams.checkUnsent({ look: true });
			// Counted by the clock and not in turns, which come late on a busy machine.
			if (clock.nowMs() - pingedMs < PING_INTERVAL_MS) continue;
			pingedMs += PING_INTERVAL_MS;
			tailer.ping();
			streams.probe();
		}
	}
	return {
		start() {
			lastReadMs = clock.nowMs();
			running = Promise.all([tail(), watch()]);
		},
		async stop() {
			stopping.abort();
			await running;
		},
		silentMs: () => clock.nowMs() - lastReadMs,
	};
}

/** Registers the metrics of the streams. */
export function streamMetrics(metrics: Metrics): StreamMetrics {
	const connections = metrics.gauge({
		name: "ws_connections",
		help: "Open streams.",
		labels: ["stream"],
	});
	const closed = metrics.counter({
		name: "ws_closed_total",
		help: "Streams that ended, by close code.",
		labels: ["code"],
	});
	const published = metrics.counter({
		name: "ws_frames_published_total",
		help: "Frames of the log that were published to a topic with subscribers.",
	});
	return {
		opened: (stream) => connections.inc({ stream }),
		ended: (stream) => connections.inc({ stream }, -1),
		closed: (code) => closed.inc({ code: CODES.has(code) ? String(code) : "other" }),
		published: () => published.inc({}),
	};
}

/**
 * Waits for the client's first message, and joins what it grants. A wrong one is told and ends the
 * stream, and so does none in time: nothing is held open for whoever says nothing.
 */
function awaitTicket(socket: StreamSocket, entry: Entry, registry: Registry): void {
	const { session } = entry;
	const { admit } = session.admission;
	if (!admit) return;
	const late = setTimeout(() => refuse(streamFault.ticketMissing()), TICKET_WAIT_MS);
	const refuse = (fault: Fault) => {
		clearTimeout(late);
		const data = { code: fault.code, message: fault.publicDetail };
		const about = { seq: 0, topic: session.admission.stream, atMs: registry.clock.nowMs() };
		session.send(controlFrame({ ...about, type: "error", data }));
		session.close(closeCodes.unauthorized, fault.code);
	};
	entry.admit = async (message) => {
		// One try: who guesses has to open a stream for each.
		entry.admit = null;
		clearTimeout(late);
		try {
			const { topics, isAllowed } = await admit(message);
			entry.isAllowed = isAllowed;
			await join(socket, session, { registry, topics });
		} catch (error) {
			if (error instanceof Fault && error.status < SERVER_FAULTS_FROM) return refuse(error);
			registry.log.warn("a stream's ticket cannot be read", { error });
			session.close(closeCodes.tryLater, "the ticket cannot be read right now");
		}
	};
}

/** Ends a stream whose client may not read any more. Where that is not known it may not either. */
async function recheck({ session }: Entry, isAllowed: () => Promise<boolean>): Promise<void> {
	try {
		if (await isAllowed()) return;
		session.close(closeCodes.unauthorized, "signed out, or the ticket's time is over");
	} catch {
		session.close(closeCodes.tryLater, "whose stream this is cannot be read right now");
	}
}

async function join(
	socket: StreamSocket,
	session: Session,
	{ registry, topics }: { registry: Registry; topics: readonly string[] },
): Promise<void> {
	const { clock, outbox, gate, log, tailer } = registry;

	const subscribe = (topic: string) => socket.subscribe(topic);
	try {
		for (const topic of topics) {
			if (!session.isOpen()) return;
			const feed = await tailer.follow(topic);
			session.join(feed);
			const epoch = await tailer.epoch();
			if (!session.isOpen()) return;
			await joinTopic({ feed, session, subscribe, epoch, outbox, gate, clock });
		}
	} catch (error) {
		log.warn("a stream cannot be opened", { topics, error });
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
