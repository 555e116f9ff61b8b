import type { ServerWebSocket } from "bun";
import type { PhoenixFrame } from "#plugins/provider/stream/model.ts";
import { decodeFrame } from "#plugins/provider/stream/phoenix.ts";

type JoinAnswer = "ok" | "error" | "silence";
type Sent = Partial<PhoenixFrame> & { topic: string; event: string };

/**
 * Starts a Phoenix server on loopback that answers as it is told, in either version of the
 * serializer.
 */
export function fakePhoenix(version: "1.0.0" | "2.0.0" = "2.0.0") {
	const sockets = new Set<ServerWebSocket<undefined>>();
	const frames: PhoenixFrame[] = [];
	const urls: string[] = [];
	const server = {
		wsUrl: "",
		/** Frames of clients, oldest first. */
		frames,
		urls,
		open: () => sockets.size,
		answersHeartbeats: true,
		onJoin: (_topic: string): JoinAnswer => "ok",
		onOpen: () => {},
		isRefusing: false,
		sent: (event: string) => frames.filter((frame) => frame.event === event),
		/** Returns the newest join of a topic. */
		joinRef: (topic: string) =>
			frames.findLast((frame) => frame.event === "phx_join" && frame.topic === topic)?.ref ?? null,
		send(frame: Sent) {
			for (const socket of sockets) write(socket, frame);
		},
		sendRaw(data: string | Uint8Array<ArrayBuffer>) {
			for (const socket of sockets) socket.send(data);
		},
		close(code = 1000, reason = "") {
			for (const socket of sockets) socket.close(code, reason);
		},
		hangUp() {
			for (const socket of sockets) socket.terminate();
		},
		stop: () => http.stop(true),
	};
	const http = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request, self) {
			urls.push(request.url);
			if (!server.isRefusing && self.upgrade(request)) return undefined;
			return new Response("no", { status: 401 });
		},
		websocket: {
			maxPayloadLength: 16 * 1_048_576,
			open(socket: ServerWebSocket<undefined>) {
				sockets.add(socket);
				server.onOpen();
			},
			close: (socket: ServerWebSocket<undefined>) => void sockets.delete(socket),
			message(socket: ServerWebSocket<undefined>, data) {
				const decoded = decodeFrame(data);
				if (decoded.kind !== "frame") return;
				frames.push(decoded.frame);
				answer(socket, decoded.frame);
			},
		},
	});
	server.wsUrl = `ws://127.0.0.1:${http.port}/socket/websocket`;
	return server;

	function answer(
		socket: ServerWebSocket<undefined>,
		{ topic, event, ref, joinRef }: PhoenixFrame,
	) {
		if (event === "heartbeat" && !server.answersHeartbeats) return;
		const status = event === "phx_join" ? server.onJoin(topic) : "ok";
		if (status === "silence") return;
		write(socket, { topic, event: "phx_reply", ref, joinRef, payload: { status, response: {} } });
	}

	function write(socket: ServerWebSocket<undefined>, frame: Sent) {
		const { topic, event, ref = null, joinRef = null, payload = {} } = frame;
		socket.send(
			JSON.stringify(
				version === "2.0.0"
					? [joinRef, ref, topic, event, payload]
					: { topic, event, ref, payload },
			),
		);
	}
}

export type FakePhoenix = ReturnType<typeof fakePhoenix>;
