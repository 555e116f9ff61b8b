import { expect, test } from "bun:test";
import { movesBy, nextState, type StateTable } from "#core/states.ts";

type Light = "green" | "red" | "broken";
type Event = "switch" | "fail";

const LIGHT: StateTable<Light, Event> = {
	green: { switch: "red", fail: "broken" },
	red: { switch: "green", fail: "broken" },
	broken: {},
};

test("an event leads to the state in the table, and an event that it lacks to no state", () => {
	expect(nextState(LIGHT, "green", "switch")).toBe("red");
	expect(nextState(LIGHT, "broken", "switch")).toBeNull();
});

test("names of an object's own functions are not valid states or events", () => {
	expect(nextState(LIGHT, "green", "toString" as Event)).toBeNull();
	expect(nextState(LIGHT, "constructor" as Light, "fail")).toBeNull();
});

test("all moves of an event are found, in the table's order", () => {
	expect(movesBy(LIGHT, "switch")).toEqual([
		{ from: "green", to: "red" },
		{ from: "red", to: "green" },
	]);
});
