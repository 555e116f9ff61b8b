/**
 * `joining`: open, and no answer of the server yet. `live`: it has answered. `waiting`: for the
 * next attempt.
 */
export type SocketState = "off" | "connecting" | "joining" | "live" | "waiting";

export type SocketEvent = "start" | "opened" | "replied" | "ended" | "retry" | "stop";

const NEXT: Readonly<Record<SocketState, Partial<Record<SocketEvent, SocketState>>>> = {
	off: { start: "connecting" },
	connecting: { opened: "joining", ended: "waiting", stop: "off" },
	joining: { replied: "live", ended: "waiting", stop: "off" },
	live: { replied: "live", ended: "waiting", stop: "off" },
	waiting: { retry: "connecting", stop: "off" },
};

/**
 * Returns the state after an event; null where the event has no meaning, as an answer on an ended
 * socket.
 */
export function nextSocketState(state: SocketState, event: SocketEvent): SocketState | null {
	return NEXT[state][event] ?? null;
}
