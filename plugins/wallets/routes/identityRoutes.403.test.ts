import { beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { listenHttp } from "#core/http/listenHttp.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { keyOf, ORIGIN } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
let token: string;

beforeAll(async () => {
	token = (await own.fixture.signIn(keyOf(1))).body.token;
});
const FOREIGN = [
	null,
	"null",
	"https://evil.example",
	"http://app.example",
	"https://app.example.evil.example",
	"https://evilapp.example",
	"https://app.example:8443",
	"https://sub.app.example",
	"https://app.example/",
	"https://APP.example",
	"file://",
];
const TRUSTED = [ORIGIN, "https://other.example"];

/** What a form, a beacon or a simple request can send from another page, and near misses. */
const NOT_JSON = [
	"application/x-www-form-urlencoded",
	"multipart/form-data; boundary=x",
	"text/plain",
	"text/plain; application/json",
	"application/json-patch+json",
	"application/csp-report",
	"application/xml",
	"text/json",
	"",
];

/** Every unsafe route, from the routes themselves: one that is added is in the matrix. */
function unsafeRoutes(): { method: string; path: string }[] {
	return own.fixture.identity.routes.routes
		.filter(({ method }) => !["GET", "HEAD", "OPTIONS", "WS"].includes(method))
		.map(({ method, path }) => ({
			method,
			path: path.replace("/v1/trading", "").replace(":id", crypto.randomUUID()),
		}));
}

const state = () =>
	own.fixture.db.query(
		`select (select json_agg(p) from wallets.profile as p)::text as profiles,
			(select json_agg(s order by s.id) from wallets.session as s)::text as sessions,
			(select count(*) from wallets.siwe_nonce)::int as nonces`,
	);

describe("a page of another origin cannot act with its visitor's cookie:", () => {
	test("the matrix has every unsafe route", () => {
		expect(unsafeRoutes().map(({ method, path }) => `${method} ${path.slice(0, 20)}`)).toEqual(
			[
				"POST /profile",
				"DELETE /profile/social",
				"DELETE /profile/wallets/",
				"POST /enrollment",
				"POST /siwe/nonce",
				"POST /siwe/verify",
				"DELETE /session",
			].map((route) => expect.stringMatching(new RegExp(`^${route}`))),
		);
	});

	test("every unsafe route, from every origin that is not allowed, with and without a body", async () => {
		const before = await state();
		for (const { method, path } of unsafeRoutes()) {
			for (const origin of FOREIGN) {
				for (const body of [undefined, "{}"]) {
					const headers = {
						cookie: `__Host-session=${token}`,
						...(origin === null ? {} : { origin }),
					};
					const answer = await own.fixture.call(path, { method, headers, body });
					expect({ path, origin, status: answer.status, code: answer.body.code }).toEqual({
						path,
						origin,
						status: 403,
						code: "origin_not_allowed",
					});
				}
			}
		}
		expect(await state()).toEqual(before);
	});

	test("every unsafe route, with every type that a form can send, from whatever origin", async () => {
		const before = await state();
		for (const { method, path } of unsafeRoutes()) {
			for (const type of NOT_JSON) {
				for (const origin of [...TRUSTED, ...FOREIGN]) {
					const headers = {
						cookie: `__Host-session=${token}`,
						"content-type": type,
						...(origin === null ? {} : { origin }),
					};
					const body = "requireTradeConfirmation=true";
					const { status } = await own.fixture.call(path, { method, headers, body });
					const isTrusted = origin !== null && TRUSTED.includes(origin);
					expect({ path, type, origin, status }).toEqual({
						path,
						type,
						origin,
						status: isTrusted ? 415 : 403,
					});
				}
			}
		}
		expect(await state()).toEqual(before);
	});

	test("a form is refused without a cookie too: nobody is signed in by another page", async () => {
		for (const { method, path } of unsafeRoutes()) {
			for (const type of NOT_JSON) {
				const headers = { "content-type": type, origin: "https://evil.example" };
				const { status } = await own.fixture.call(path, { method, headers, body: "a=b" });
				expect({ path, type, status }).toEqual({ path, type, status: 415 });
			}
		}
	});
});

test("the allowed pages can act with the cookie, and a bearer needs no page", async () => {
	for (const origin of TRUSTED) {
		const headers = { cookie: `__Host-session=${token}`, origin };
		const answer = await own.fixture.call("/profile", { headers, body: {} });
		expect({ origin, status: answer.status }).toEqual({ origin, status: 200 });
	}
	expect((await own.fixture.call("/profile", { bearer: token, body: {} })).status).toBe(200);
});

test("no page of another origin is told what a signed-in person reads", async () => {
	for (const origin of FOREIGN) {
		const headers = { cookie: `__Host-session=${token}`, ...(origin === null ? {} : { origin }) };
		const answer = await own.fixture.call("/profile", { headers });
		expect(answer.headers.get("access-control-allow-origin")).toBeNull();
		expect(answer.headers.get("vary")).toContain("Origin");
	}
});

// Guarantee: a socket cannot be opened with somebody's cookie from another page.
test("a socket's upgrade is refused to every origin that is not allowed", async () => {
	const stream = new Elysia().ws("/v1/socket", { open: (socket) => void socket.send({ open: 1 }) });
	const app = testHttpApp({
		routes: [stream],
		publicUrl: ORIGIN,
		allowedOrigins: ["https://other.example"],
	});
	const listener = await listenHttp(app, { host: "127.0.0.1", port: 0, log: silentLog });
	const upgrade = async (origin: string | null) => {
		const response = await fetch(`${listener.url}/v1/socket`, {
			headers: {
				connection: "Upgrade",
				upgrade: "websocket",
				"sec-websocket-version": "13",
				"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
				cookie: `__Host-session=${token}`,
				...(origin === null ? {} : { origin }),
			},
		});
		return response.status;
	};
	const opens = (origin: string) =>
		new Promise<boolean>((resolve) => {
			const url = `${listener.url.replace("http", "ws")}/v1/socket`;
			const socket = new WebSocket(url, { headers: { origin } } as unknown as string[]);
			socket.onmessage = () => {
				socket.close();
				resolve(true);
			};
			socket.onerror = () => resolve(false);
		});
	try {
		for (const origin of FOREIGN) {
			if (origin === null) continue;
			expect({ origin, status: await upgrade(origin) }).toEqual({ origin, status: 403 });
			expect({ origin, opened: await opens(origin) }).toEqual({ origin, opened: false });
		}
		for (const origin of TRUSTED) {
			expect({ origin, opened: await opens(origin) }).toEqual({ origin, opened: true });
		}
	} finally {
		await listener.stop();
	}
});
