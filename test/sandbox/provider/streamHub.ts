// Serves the provider's stream: channels, subscriptions and faults.

import type { ServerWebSocket } from "bun";
import { z } from "zod";
import type { FaultList } from "./faults.ts";
import type { Push } from "./renderPush.ts";

/** A frame of either version, with what an answer needs. */
export type Frame = {
	joinRef: string | null;
	ref: string | null;
	topic: string;
	event: string;
	payload: unknown;
};

/** The state of a socket. */
export type StreamData = { vsn: "1.0.0" | "2.0.0"; topics: Map<string, Topic> };
export type Socket = ServerWebSocket<StreamData>;

export type StreamHub = {
	open(socket: Socket): void;
	message(socket: Socket, text: string): void;
	close(socket: Socket): void;
	/** Sends to every client that joined the collection, or all of them. */
	push(push: Push): void;
	/** Returns true without clients: then nothing must be rendered. */
	isIdle(): boolean;
	dropAll(): void;
};

type Topic = { joinRef: string | null; eventTypes: ReadonlySet<string> | null };

const V2 = z.tuple([
	z.string().nullable(),
	z.string().nullable(),
	z.string().max(300),
	z.string().max(100),
	z.unknown(),
]);
const V1 = z.object({
	topic: z.string().max(300),
	event: z.string().max(100),
	payload: z.unknown(),
	ref: z.union([z.string(), z.number()]).nullish(),
	join_ref: z.union([z.string(), z.number()]).nullish(),
});

const SOCKETS_MAX = 100;
const TOPICS_PER_SOCKET_MAX = 2_000;
/** A client that does not read is disconnected. */
const BUFFERED_BYTES_MAX = 8 * 1_048_576;
const TRY_AGAIN = 1013;
const TOO_SLOW = 1008;
const Join = z.object({ event_types: z.array(z.string()).max(50).optional() }).catch({});

/** Makes the Phoenix side of the stream: joins, heartbeats, and which client gets which push. */
export function createStreamHub(faults: FaultList): StreamHub {
	const sockets = new Set<Socket>();
	let heldBack: Push | null = null;
	function deliver(push: Push): void {
		for (const socket of sockets) {
			if (socket.getBufferedAmount() > BUFFERED_BYTES_MAX) {
				socket.close(TOO_SLOW, "too slow");
				continue;
			}
			for (const name of [`collection:${push.slug}`, "collection:*"]) {
				const topic = socket.data.topics.get(name);
				if (!topic || (topic.eventTypes && !topic.eventTypes.has(push.event))) continue;
				const { event, payload } = push;
				const { joinRef } = topic;
				send(socket, { joinRef, ref: null, topic: name, event, payload });
			}
		}
	}
	return {
		open(socket) {
			const isFull = sockets.size >= SOCKETS_MAX;
			if (isFull || faults.takeForStream("drop_stream")) socket.close(TRY_AGAIN, "try again");
			else sockets.add(socket);
		},
		message(socket, text) {
			const frame = readFrame(text);
			if (frame) answer(socket, frame);
		},
		close: (socket) => void sockets.delete(socket),
		push(push) {
			if (heldBack === null && faults.takeForStream("reorder")) {
				heldBack = push;
				return;
			}
			deliver(push);
			if (faults.takeForStream("duplicate")) deliver(push);
			if (heldBack !== null) deliver(heldBack);
			heldBack = null;
		},
		isIdle: () => sockets.size === 0,
		dropAll() {
			for (const socket of sockets) socket.close(TRY_AGAIN, "try again");
		},
	};
}

/** Parses a client's frame; null for an invalid one. */
export function readFrame(text: string): Frame | null {
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch {
		return null;
	}
	const list = V2.safeParse(parsed);
	if (list.success) {
		const [joinRef, ref, topic, event, payload] = list.data;
		return { joinRef, ref, topic, event, payload };
	}
	const object = V1.safeParse(parsed);
	if (!object.success) return null;
	const { topic, event, payload, ref, join_ref } = object.data;
	const textOf = (value: string | number | null | undefined) =>
		value === null || value === undefined ? null : String(value);
	// Version 1 has no join ref: the ref of the join is used.
	return { joinRef: textOf(join_ref ?? ref), ref: textOf(ref), topic, event, payload };
}

/** Writes a frame in the client's version. */
export function writeFrame(vsn: "1.0.0" | "2.0.0", frame: Frame): string {
	const { joinRef, ref, topic, event, payload } = frame;
	if (vsn === "2.0.0") return JSON.stringify([joinRef, ref, topic, event, payload]);
	return JSON.stringify({ topic, event, payload, ref });
}

function send(socket: Socket, frame: Frame): void {
	socket.send(writeFrame(socket.data.vsn, frame));
}

function answer(socket: Socket, frame: Frame): void {
	const refusal = act(socket, frame);
	const status = refusal === null ? "ok" : "error";
	const response = refusal === null ? {} : { reason: refusal };
	send(socket, { ...frame, event: "phx_reply", payload: { status, response } });
}

/** Does what a frame requests; returns the reason if it cannot, else null. */
function act({ data: { topics } }: Socket, frame: Frame): string | null {
	switch (frame.event) {
		case "heartbeat":
			return frame.topic === "phoenix" ? null : "unmatched topic";
		case "phx_leave":
			topics.delete(frame.topic);
			return null;
		case "phx_join": {
			const isOurs = frame.topic.startsWith("collection:");
			if (!isOurs || topics.size >= TOPICS_PER_SOCKET_MAX) return "unmatched topic";
			const { event_types } = Join.parse(frame.payload ?? {});
			const eventTypes = event_types ? new Set(event_types) : null;
			topics.set(frame.topic, { joinRef: frame.joinRef, eventTypes });
			return null;
		}
		default:
			return "unmatched event";
	}
}
