import { expect, test } from "bun:test";
import { createScope } from "#test/bench/measure/startServiceProcess.ts";

test("all parts are stopped once, newest first, even if one of them throws", async () => {
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

test("a part that starts while all are stopped is stopped too, and its start fails", async () => {
	const scope = createScope();
	const stopped: string[] = [];
	scope.defer(async () => {
		expect(() => scope.defer(async () => void stopped.push("late"))).toThrow("interrupted");
	});
	await scope.close();
	expect(stopped).toEqual(["late"]);
});
