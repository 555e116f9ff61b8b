/**
 * `joining`: open, and no word of the server yet. `live`: it has answered. `waiting`: for the next
 * attempt.
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

/** Where an event leads; null where it means nothing, as an answer on a socket that has ended. */
export function nextSocketState(state: SocketState, event: SocketEvent): SocketState | null {
	return NEXT[state][event] ?? null;
}
