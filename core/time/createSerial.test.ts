import { expect, test } from "bun:test";
import { createSerial } from "#core/time/createSerial.ts";

test("work begins when the work before it has ended, in the order in which it came", async () => {
	const serial = createSerial();
	const seen: string[] = [];
	const held = Promise.withResolvers<void>();
	const first = serial(async () => {
		seen.push("first begins");
		await held.promise;
		seen.push("first ends");
		return 1;
	});
	const second = serial(async () => {
		seen.push("second");
		return 2;
	});
	await Promise.resolve();
	expect(seen).toEqual(["first begins"]);
	held.resolve();
	expect(await Promise.all([first, second])).toEqual([1, 2]);
	expect(seen).toEqual(["first begins", "first ends", "second"]);
});

test("work that fails is told so, and the work behind it is done", async () => {
	const serial = createSerial();
	const failing = serial(() => Promise.reject(new Error("no")));
	const behind = serial(async () => "done");
	await expect(failing).rejects.toThrow("no");
	expect(await behind).toBe("done");
});
