import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { httpFault } from "#core/http/faults.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

const routes = new Elysia().get(
	"/v1/cats/:id",
	({ params }) => {
		if (params.id === "gone") throw httpFault.conflict();
		return "cat";
	},
	{ detail: { operationId: "getCat" } },
);

test("a documented route that answers an undocumented status fails the test", async () => {
	const app = testHttpApp({ routes: [routes] });
	const ask = (path: string) => app.handle(new Request(`http://localhost${path}`));
	expect((await ask("/v1/cats/7")).status).toBe(200);
	expect((await ask("/v1/nowhere")).status).toBe(404);
	expect(ask("/v1/cats/gone")).rejects.toThrow("GET /v1/cats/:id 409");
});
