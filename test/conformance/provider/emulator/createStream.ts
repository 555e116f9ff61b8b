import type { ServerWebSocket } from "bun";

export type StreamClient = { token: string | null; topics: Map<string, string> };

export type StreamServer = {
	/** Topics that somebody has joined, each once. */
	joined(): string[];
	/** Sends one event to whoever joined the collection, or all of them; answers to how many. */
	push(slug: string, event: { event_type: string; payload: unknown }): number;
	/** The text of a push of the collection, to send it many times. */
	send(slug: string, text: (joinRef: string) => string): number;
	/** Ends every connection without a word. */
	cut(): void;
	/** Frames of clients that the protocol does not know. */
	problems: string[];
	websocket: {
		open(socket: ServerWebSocket<StreamClient>): void;
		message(socket: ServerWebSocket<StreamClient>, text: string | Buffer): void;
		close(socket: ServerWebSocket<StreamClient>): void;
	};
};

/** The stream: Phoenix channels, version 2.0.0, whose frames are arrays of five. */
export function createStream(nowMs: () => number): StreamServer {
	const sockets = new Set<ServerWebSocket<StreamClient>>();
	const problems: string[] = [];

	function read(socket: ServerWebSocket<StreamClient>, text: string): void {
		const frame: unknown = JSON.parse(text);
		if (!Array.isArray(frame) || frame.length !== 5) {
			problems.push(`no frame of version 2.0.0: ${text.slice(0, 100)}`);
			return;
		}
		const [joinRef, ref, topic, event] = frame;
		const { topics } = socket.data;
		if (event === "phx_join") topics.set(topic, joinRef);
		else if (event === "phx_leave") topics.delete(topic);
		else if (event !== "heartbeat" || topic !== "phoenix") {
			problems.push(`unknown event ${event} on ${topic}`);
			return;
		}
		const reply = { status: "ok", response: {} };
		socket.send(JSON.stringify([joinRef, ref, topic, "phx_reply", reply]));
	}

	function send(slug: string, text: (joinRef: string) => string): number {
		let count = 0;
		for (const socket of sockets) {
			const { topics } = socket.data;
			const joinRef = topics.get(`collection:${slug}`) ?? topics.get("collection:*");
			if (joinRef === undefined) continue;
			socket.send(text(joinRef));
			count++;
		}
		return count;
	}

	return {
		problems,
		joined: () => [...new Set([...sockets].flatMap(({ data }) => [...data.topics.keys()]))],
		send,
		push(slug, event) {
			const payload = { ...event, version: nowMs(), sent_at: new Date(nowMs()).toISOString() };
			return send(slug, (joinRef) =>
				JSON.stringify([joinRef, null, `collection:${slug}`, event.event_type, payload]),
			);
		},
		cut() {
			for (const socket of sockets) socket.terminate();
		},
		websocket: {
			open: (socket) => void sockets.add(socket),
			message: (socket, text) => read(socket, String(text)),
			close: (socket) => void sockets.delete(socket),
		},
	};
}
