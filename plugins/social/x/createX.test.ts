import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { TwitterApi } from "twitter-api-v2";
import { silentLog } from "#core/log.ts";
import { type SocialConfig, socialConfig } from "#plugins/social/limits.ts";
import { createAskX, createCallX, type XAnswer } from "#plugins/social/x/callX.ts";
import { createX } from "#plugins/social/x/createX.ts";
import { findPosts, messageOnX, postOnX } from "#plugins/social/x/say.ts";

// Guarantee: every call goes to the operator's host, signed for it, and what X's statuses mean is
// ours: only a clear answer counts as done, or as refused.

const HOST = "https://x.operator.example:8443/proxy";
const KEYS = {
	SOCIAL_API_KEY: "key",
	SOCIAL_API_SECRET: "secret&more'()!",
	SOCIAL_OAUTH1_ACCESS_TOKEN: "42-token",
	SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET: "token's*secret",
};

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const nowMs = 1_800_000_000_000;
const clock = { nowMs: () => nowMs };
const ending = new AbortController().signal;
const config = (more: Partial<Record<keyof SocialConfig, string>> = KEYS): SocialConfig =>
	socialConfig.parse({ SOCIAL_BASE_URL: HOST, ...more });
const core = { clock, log: silentLog, db: {} as never, holder: "one", session: "one" };
const open = (more?: Parameters<typeof config>[0]) =>
	createX({ core, config: config(more), ending });

/** Returns the signature of RFC 5849 for a request without a form, worked out by hand. */
function signatureOf(request: Request): string {
	const url = new URL(request.url);
	const encode = (text: string) =>
		encodeURIComponent(text).replace(/[!'()*]/g, (c) =>
			`%${c.charCodeAt(0).toString(16)}`.toUpperCase(),
		);
	const header = request.headers.get("authorization") ?? "";
	const own = [...header.matchAll(/(oauth_\w+)="([^"]*)"/g)]
		.map(([, name = "", value = ""]) => [name, decodeURIComponent(value)] as const)
		.filter(([name]) => name !== "oauth_signature");
	const pairs = [...own, ...url.searchParams].map(([n, v]) => `${encode(n)}=${encode(v)}`).sort();
	const base = [request.method, `${url.origin}${url.pathname}`, pairs.join("&")];
	const { SOCIAL_API_SECRET: one, SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET: other } = KEYS;
	return createHmac("sha1", `${encode(one)}&${encode(other)}`)
		.update(base.map(encode).join("&"))
		.digest("base64");
}

test("a post is sent to the operator's host, signed for that host, with the body that X expects", async () => {
	const seen: { request: Request; body: unknown }[] = [];
	server.use(
		http.post(`${HOST}/2/tweets`, async ({ request }) => {
			seen.push({ request: request.clone(), body: await request.json() });
			return HttpResponse.json({ data: { id: "7" } }, { status: 201 });
		}),
	);
	expect(await postOnX(open(), { text: "Hi, it's (1)!", replyTo: "5" })).toMatchObject({
		...{ kind: "sent", id: "7" },
	});
	const [{ request, body } = { request: new Request(HOST), body: null }] = seen;
	expect(body).toEqual({ text: "Hi, it's (1)!", reply: { in_reply_to_tweet_id: "5" } });
	const header = request.headers.get("authorization") ?? "";
	const [, signature = ""] = /oauth_signature="([^"]*)"/.exec(header) ?? [];
	expect(decodeURIComponent(signature)).toBe(signatureOf(request));
	expect(header).toContain('oauth_consumer_key="key"');
	expect(header).not.toContain("secret");
});

test("the query is part of the signed text", async () => {
	const seen: Request[] = [];
	server.use(
		http.get(`${HOST}/2/users/42/tweets`, ({ request }) => {
			seen.push(request.clone());
			const referenced_tweets = [{ type: "replied_to", id: "5" }];
			return HttpResponse.json({ data: [{ id: "9", referenced_tweets }, { id: "8" }] });
		}),
	);
	const items: string[] = [];
	const used = (of: readonly string[]) => void items.push(...of);
	expect(await findPosts(open(), { replyTo: "5", used })).toEqual(["9"]);
	expect(items).toEqual(["post:9", "post:8"]);
	const [request = new Request(HOST)] = seen;
	expect(new URL(request.url).searchParams.get("since_id")).toBe("5");
	const [, signature = ""] =
		/oauth_signature="([^"]*)"/.exec(request.headers.get("authorization") ?? "") ?? [];
	expect(decodeURIComponent(signature)).toBe(signatureOf(request));
});

const reset = {
	"x-rate-limit-limit": "15",
	"x-rate-limit-remaining": "0",
	"x-rate-limit-reset": "1800000060",
};
const meanings: [number, Record<string, string>, unknown, object][] = [
	[201, {}, { data: { dm_event_id: "3" } }, { kind: "sent", id: "3" }],
	[201, {}, { data: {} }, { kind: "unknown" }],
	[401, {}, { title: "Unauthorized" }, { kind: "unsent", reason: "http_401" }],
	[402, {}, {}, { kind: "limited", isUnpaid: true }],
	[403, {}, { detail: "You are not allowed." }, { kind: "refused", reason: "http_403" }],
	[403, {}, { detail: "duplicate content" }, { kind: "refused", reason: "duplicate" }],
	[408, {}, {}, { kind: "unknown" }],
	[429, reset, {}, { kind: "limited", untilMs: 1_800_000_060_000 }],
	[500, {}, { errors: [{ message: "no" }] }, { kind: "unknown" }],
	[503, {}, "<html>", { kind: "unknown" }],
	[302, { location: "https://evil.example/" }, "", { kind: "unknown" }],
];
for (const [status, headers, body, said] of meanings) {
	test(`a message that X answers with ${status} ${JSON.stringify(body)} is ${JSON.stringify(said)}`, async () => {
		let calls = 0;
		server.use(
			http.post(`${HOST}/2/dm_conversations/with/6/messages`, () => {
				calls += 1;
				return typeof body === "string"
					? new HttpResponse(body, { status, headers })
					: HttpResponse.json(body as object, { status, headers });
			}),
		);
		expect(await messageOnX(open(), { text: "Hi", to: "6" })).toMatchObject(said);
		// It is sent once, whatever came back.
		expect(calls).toBe(1);
	});
}

test("a new token is requested from the operator's host, by a form, and optional members may be missing", async () => {
	const seen: { form: string; header: string | null }[] = [];
	server.use(
		http.post(`${HOST}/2/oauth2/token`, async ({ request }) => {
			seen.push({ form: await request.text(), header: request.headers.get("authorization") });
			// Without the scope, which the library wants to split.
			return HttpResponse.json({ access_token: "a", refresh_token: "r2", expires_in: 7_200 });
		}),
	);
	const ask = createAskX(createCallX({ nowMs: clock.nowMs, ending }), HOST);
	const renew = (): Promise<XAnswer> =>
		ask(
			(settings) => new TwitterApi({ clientId: "id", clientSecret: "s" }, settings),
			(client) => client.refreshOAuth2Token("r1"),
		);
	expect(await renew()).toMatchObject({ kind: "read", json: { refresh_token: "r2" } });
	const [{ form, header } = { form: "", header: "" }] = seen;
	expect(Object.fromEntries(new URLSearchParams(form))).toMatchObject({
		...{ grant_type: "refresh_token", refresh_token: "r1", client_id: "id" },
	});
	expect(header).toBe(`Basic ${btoa("id:s")}`);
});

test("a call by the X library to another host, or a second call, is refused", async () => {
	const ask = createAskX(createCallX({ nowMs: clock.nowMs, ending }), HOST);
	const as = (settings: object) => new TwitterApi("token", settings);
	const elsewhere = ask(as, ({ v2 }) =>
		v2.get("https://evil.example/2/tweets", {}, { prefix: "" }),
	);
	await expect(elsewhere).rejects.toThrow("operator's host");
	server.use(http.get(`${HOST}/2/users/me`, () => HttpResponse.json({ data: { id: "1" } })));
	let calls = 0;
	const answer = await ask(as, async ({ v2 }) => {
		for (; calls < 3; calls++) await v2.me();
	});
	expect([answer.kind, calls]).toEqual(["read", 1]);
});

test("a call without its credential names what is missing, and X is not called", async () => {
	const x = open({});
	await expect(x.ask({ as: "user", use: (v2) => v2.me() })).rejects.toMatchObject({
		code: "social_credential_missing",
	});
	await expect(x.ask({ as: "app", use: (v2) => v2.usage() })).rejects.toMatchObject({
		code: "social_credential_missing",
	});
});
