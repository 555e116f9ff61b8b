import { Socket } from "node:net";

/**
 * A socket whose writes of one turn leave together.
 *
 * The driver writes each statement by itself, so five that travel together would wake the server
 * five times, and each waking is dear on a machine of few cores: gathered, an intent's statements
 * cost a tenth less on both sides (measured).
 */
export function openGatheringSocket(): Socket {
	const socket = new Socket();
	// Not before: connecting puts the socket's own `write` back.
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
