import { expect, test } from "bun:test";
import {
	nextSocketState,
	type SocketEvent,
	type SocketState,
} from "#plugins/provider/stream/socket/nextSocketState.ts";

const walk = (events: SocketEvent[], from: SocketState = "off") =>
	events.reduce<SocketState>((state, event) => nextSocketState(state, event) ?? state, from);

test("a socket is live only after it was opened and the server answered", () => {
	expect(walk(["start"])).toBe("connecting");
	expect(walk(["start", "replied"])).toBe("connecting");
	expect(walk(["start", "opened"])).toBe("joining");
	expect(walk(["start", "opened", "replied"])).toBe("live");
});

test("whatever ends, the next attempt waits for its time", () => {
	for (const events of [["start"], ["start", "opened"], ["start", "opened", "replied"]] as const) {
		expect(walk([...events, "ended"])).toBe("waiting");
		expect(walk([...events, "ended", "opened", "replied", "ended"])).toBe("waiting");
		expect(walk([...events, "ended", "retry"])).toBe("connecting");
	}
});

test("stopping ends every state, and nothing but a start begins again", () => {
	for (const state of ["connecting", "joining", "live", "waiting"] as const) {
		expect(nextSocketState(state, "stop")).toBe("off");
	}
	expect(walk(["opened", "replied", "ended", "retry", "stop"])).toBe("off");
});
