import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { type HttpListener, listenHttp } from "#core/http/listenHttp.ts";
import { type RawConnection, rawConnection } from "#core/http/testing/rawConnection.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log/silentLog.ts";

// Guarantee: a backslash cannot bypass a proxy that decides by the raw path.

let listener: HttpListener;
let connection: RawConnection;
let ran: string[];
beforeAll(async () => {
	const note = ({ path }: { path: string }) => {
		ran.push(path);
		return { ran: path };
	};
	const routes = new Elysia()
		.get("/v1/admin/things", note)
		.get("/v1/things/:name", note)
		.post("/v1/admin/things", note);
	const app = testHttpApp({ routes: [routes] });
	listener = await listenHttp(app, { host: "127.0.0.1", port: 0, log: silentLog });
	connection = rawConnection(listener.port);
});
afterAll(async () => {
	connection.close();
	await listener.stop();
});

async function ask(path: string, method = "GET") {
	ran = [];
	const answer = await connection.ask(
		`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`,
	);
	return answer && { status: answer.status, body: JSON.parse(answer.body) };
}

for (const [method, path] of [
	["GET", "/v1\\admin/things"],
	["GET", "/v1/admin\\things"],
	["GET", "/v1\\admin\\things"],
	["GET", "/v1/admin/things\\"],
	["GET", "/v1\\admin/things/"],
	["GET", "/v1/x\\..\\admin/things"],
	["GET", "/v1\\things/a%5Cb"],
	["GET", "http://localhost/v1\\admin/things?q=1"],
	["POST", "/v1\\admin/things"],
] as const) {
	test(`${method} ${path} is 400 and reaches no route`, async () => {
		expect(await ask(path, method)).toMatchObject({ status: 400, body: { code: "malformed_url" } });
		expect(ran).toEqual([]);
	});
}

for (const path of [
	"/v1/admin/things",
	"/v1/admin/things/",
	"/v1/things/a%5Cb",
	"/v1/things/%F0%9F%90%B5",
]) {
	test(`GET ${path} reaches its route`, async () => {
		expect(await ask(path)).toMatchObject({ status: 200 });
		expect(ran).toHaveLength(1);
	});
}
