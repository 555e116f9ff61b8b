import { expect, test } from "bun:test";
import { createScope } from "#test/bench/measure/startServiceProcess.ts";

test("everything is stopped once, newest first, also when one refuses", async () => {
	const scope = createScope();
	const stopped: string[] = [];
	const stopper = (name: string) => async () => void stopped.push(name);
	scope.defer(stopper("node"));
	scope.defer(() => Promise.reject("not today"));
	const early = scope.defer(stopper("service"));
	scope.defer(stopper("socket"));
	await early();
	await early();
	await scope.close();
	await scope.close();
	expect(stopped).toEqual(["service", "socket", "node"]);
});

test("what is started while everything stops is stopped too, and its starter told", async () => {
	const scope = createScope();
	const stopped: string[] = [];
	scope.defer(async () => {
		expect(() => scope.defer(async () => void stopped.push("late"))).toThrow("interrupted");
	});
	await scope.close();
	expect(stopped).toEqual(["late"]);
});
