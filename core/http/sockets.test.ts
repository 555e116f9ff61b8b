import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { guardSockets } from "#core/http/sockets.ts";
import { silentLog } from "#core/log.ts";

describe("guardSockets", () => {
	// Guarantee: no stream, however deep it is mounted, keeps Elysia's own echo of bad frames.
	test("every mounted stream gets the handler, before its own", () => {
		const own = () => {};
		const bare = { message() {} };
		const handled = { error: own, message() {} };
		const nested = new Elysia({ prefix: "/b" }).ws("/deep", handled);
		const app = new Elysia().use(new Elysia({ prefix: "/a" }).ws("/bare", bare).use(nested));
		guardSockets(app, silentLog);
		expect(bare).toMatchObject({ error: [expect.any(Function)] });
		expect(handled.error).toMatchObject([expect.any(Function), own]);
	});

	test("an app without streams is left alone", () => {
		expect(() => guardSockets(new Elysia().get("/", "x"), silentLog)).not.toThrow();
	});
});
