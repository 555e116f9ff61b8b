// Starts local servers that record who reaches them.

import { createServer, type Server, type Socket } from "node:net";

export type Canary = { port: number; connections: number; close(): void };

/** Counts every connection to loopback, IPv4 and IPv6, on one port; answers nothing of use. */
export async function startCanary(): Promise<Canary> {
	const canary = { port: 0, connections: 0, close: () => {} };
	const onConnection = (socket: Socket) => {
		canary.connections++;
		socket.on("error", () => {});
		socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
	};
	const four = createServer(onConnection);
	canary.port = await listen(four, 0, "0.0.0.0");
	const six = createServer(onConnection);
	// A machine without IPv6 has nothing there to reach.
	await listen(six, canary.port, "::1").catch(() => {});
	canary.close = () => {
		four.close();
		six.close();
	};
	return canary;
}

/** A server that says exactly these bytes to whoever calls, or what the function writes. */
export async function startRawServer(
	speak: (socket: Socket, head: string) => void,
): Promise<{ port: number; origin: string; open(): number; close(): void }> {
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
		socket.on("error", () => {});
		socket.once("data", (data) => speak(socket, data.toString("latin1")));
	});
	const port = await listen(server, 0, "127.0.0.1");
	return {
		port,
		origin: `http://127.0.0.1:${port}`,
		open: () => sockets.size,
		close() {
			for (const socket of sockets) socket.destroy();
			server.close();
		},
	};
}

function listen(server: Server, port: number, host: string): Promise<number> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, () => {
			const address = server.address();
			resolve(typeof address === "object" && address !== null ? address.port : 0);
		});
	});
}
