import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { createRouteTable, guardSockets } from "#core/http/createRouteTable.ts";
import { silentLog } from "#core/log.ts";
import { cpuTimer } from "#test/harness/until.ts";

describe("createRouteTable", () => {
	describe("createRouteTable", () => {
		const routes = [
			{ method: "GET", path: "/" },
			{ method: "GET", path: "/v1/a" },
			{ method: "POST", path: "/v1/a" },
			{ method: "GET", path: "/v1/:id" },
			{ method: "DELETE", path: "/v1/:name" },
			{ method: "GET", path: "/v1/:id/b" },
			{ method: "GET", path: "/opt/:x?" },
			{ method: "GET", path: "/files/*" },
			{ method: "WS", path: "/v1/stream" },
			{ method: "ALL", path: "/all" },
			{ method: "PUT", path: "/slash/" },
		];
		const table = createRouteTable(routes);
		const match = (path: string) => Object.fromEntries(table.match(path)?.patterns ?? []);

		const expected: [path: string, patterns: Record<string, string>][] = [
			["/", { GET: "/" }],
			["/v1/a", { GET: "/v1/a", POST: "/v1/a", DELETE: "/v1/:name" }],
			["/v1/a/", { GET: "/v1/a", POST: "/v1/a", DELETE: "/v1/:name" }],
			["/v1/z", { GET: "/v1/:id", DELETE: "/v1/:name" }],
			["/v1/a/b", { GET: "/v1/:id/b" }],
			["/v1/a/c", {}],
			["/v1", {}],
			["/v1//b", {}],
			["/opt", { GET: "/opt/:x?" }],
			["/opt/1", { GET: "/opt/:x?" }],
			["/files/a/b/c", { GET: "/files/*" }],
			["/v1/stream", { WS: "/v1/stream", GET: "/v1/:id", DELETE: "/v1/:name" }],
			["/all", { ALL: "/all" }],
			["/slash", { PUT: "/slash/" }],
			["/nope", {}],
			["//", {}],
			["/__proto__", {}],
		];
		for (const [path, patterns] of expected) {
			test(`${path} matches ${JSON.stringify(patterns)}`, () => {
				expect(match(path)).toEqual(patterns);
			});
		}

		// Guarantee: the table and Elysia's own router agree on what exists.
		test("the table finds a GET route exactly if Elysia does", async () => {
			const app = new Elysia();
			for (const { method, path } of routes) {
				if (method === "GET") app.get(path, () => new Response(path));
			}
			const gets = createRouteTable(routes.filter((route) => route.method === "GET"));
			for (const [path] of expected) {
				const response = await app.handle(new Request(`http://localhost${path}`));
				const pattern = response.status === 200 ? await response.text() : undefined;
				expect({ path, pattern: gets.match(path)?.patterns.get("GET") }).toEqual({ path, pattern });
			}
		});

		test("a path of ten thousand segments is answered at once", () => {
			const cpuMs = cpuTimer();
			expect(table.match("/a".repeat(10_000))).toBeUndefined();
			expect(cpuMs()).toBeLessThan(500);
		});
	});
});

describe("sockets", () => {
	describe("guardSockets", () => {
		// Guarantee: no stream, however deep it is mounted, keeps Elysia's own echo of bad frames.
		test("every mounted stream gets the handler of errors, before its own handlers", () => {
			const own = () => {};
			const bare = { message() {} };
			const handled = { error: own, message() {} };
			const nested = new Elysia({ prefix: "/b" }).ws("/deep", handled);
			const app = new Elysia().use(new Elysia({ prefix: "/a" }).ws("/bare", bare).use(nested));
			guardSockets(app, silentLog);
			expect(bare).toMatchObject({ error: [expect.any(Function)] });
			expect(handled.error).toMatchObject([expect.any(Function), own]);
		});

		test("an app without streams is not changed", () => {
			expect(() => guardSockets(new Elysia().get("/", "x"), silentLog)).not.toThrow();
		});
	});
});
