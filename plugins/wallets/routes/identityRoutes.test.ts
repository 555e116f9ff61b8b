import { beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { privateKeyToAccount } from "viem/accounts";
import { listenHttp } from "#core/http/listenHttp.ts";
import { openApiDocument } from "#core/http/openApi.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import {
	type Answer,
	addressOf,
	type Call,
	keyOf,
	ORIGIN,
} from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";
import { fakeCustody } from "#test/harness/fakes.ts";

describe("identityRoutes.401", () => {
	const own = identityOfFile();
	const OWN: [method: string, path: string][] = [
		["GET", "/profile"],
		["POST", "/profile"],
		["DELETE", "/profile/social"],
		["DELETE", `/profile/wallets/${crypto.randomUUID()}`],
	];

	test("[SEC-04] each personal route answers 401 to a caller who is not signed in", async () => {
		const { body } = await own.fixture.signIn(keyOf(1));
		await own.fixture.call("/session", { method: "DELETE", bearer: body.token });
		for (const [method, path] of OWN) {
			for (const bearer of [undefined, "wrong", body.token]) {
				const answer = await own.fixture.call(path, { method, bearer });
				expect({ path, status: answer.status, code: answer.body.code }).toEqual({
					path,
					status: 401,
					code: "unauthorized",
				});
				expect(answer.headers.get("content-type")).toBe("application/problem+json");
				expect(answer.headers.get("set-cookie")).toBeNull();
			}
		}
	});

	test("settings and the nonce are open to everybody", async () => {
		const { status, body } = await own.fixture.call("/settings");
		expect({ status, body }).toEqual({
			status: 200,
			body: {
				homeChain: { id: 4663, slug: "robinhood", name: "Robinhood Chain" },
				signInChainIds: [4663],
				walletProvider: { isOn: true },
				dryRun: true,
				perTradeUsdMax: "1000",
				dailyUsdMax: "5000",
				walletNotionalUsdMax: "2000",
				settlementAssets: ["ETH", "WETH", "USDG"],
				sessionSeconds: 604_800,
				nonceSeconds: 600,
			},
		});
		expect((await own.fixture.call("/siwe/nonce", { method: "POST" })).status).toBe(200);
	});
});

describe("identityRoutes.403", () => {
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
		test("the test covers every unsafe route", () => {
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

		test("every unsafe route, with every type that a form can send, from any origin", async () => {
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

		test("a form is refused without a cookie too: no other page can sign anybody in", async () => {
			for (const { method, path } of unsafeRoutes()) {
				for (const type of NOT_JSON) {
					const headers = { "content-type": type, origin: "https://evil.example" };
					const { status } = await own.fixture.call(path, { method, headers, body: "a=b" });
					expect({ path, type, status }).toEqual({ path, type, status: 415 });
				}
			}
		});
	});

	test("the allowed pages can act with the cookie, and a bearer token needs no page", async () => {
		for (const origin of TRUSTED) {
			const headers = { cookie: `__Host-session=${token}`, origin };
			const answer = await own.fixture.call("/profile", { headers, body: {} });
			expect({ origin, status: answer.status }).toEqual({ origin, status: 200 });
		}
		expect((await own.fixture.call("/profile", { bearer: token, body: {} })).status).toBe(200);
	});

	test("no page of another origin can read a signed-in person's data", async () => {
		for (const origin of FOREIGN) {
			const headers = { cookie: `__Host-session=${token}`, ...(origin === null ? {} : { origin }) };
			const answer = await own.fixture.call("/profile", { headers });
			expect(answer.headers.get("access-control-allow-origin")).toBeNull();
			expect(answer.headers.get("vary")).toContain("Origin");
		}
	});

	// Guarantee: a socket cannot be opened with somebody's cookie from another page.
	test("a socket's upgrade is refused to every origin that is not allowed", async () => {
		const stream = new Elysia().ws("/v1/socket", {
			open: (socket) => void socket.send({ open: 1 }),
		});
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
});

describe("identityRoutes.404", () => {
	const own = identityOfFile();
	test("[TRD-09] another profile's wallet gets the same answer as one that does not exist", async () => {
		const { body: owner } = await own.fixture.signIn(keyOf(1));
		const { body: other } = await own.fixture.signIn(keyOf(2));
		const theirs = owner.profile.wallets[0].id;
		const ask = async (id: string) => {
			const path = `/profile/wallets/${encodeURIComponent(id)}`;
			const { status, body } = await own.fixture.call(path, {
				method: "DELETE",
				bearer: other.token,
			});
			const { requestId: _, ...told } = body;
			return { status, told };
		};
		const missing = await ask(crypto.randomUUID());
		expect(missing).toMatchObject({ status: 404, told: { code: "not_found" } });
		for (const id of [theirs, "x", "' or 1=1 --", "0", "null"])
			expect(await ask(id)).toEqual(missing);
		expect((await own.fixture.call("/profile", { bearer: owner.token })).body).toEqual(
			owner.profile,
		);
	});
});

describe("identityRoutes.secrets", () => {
	const own = identityOfFile();
	// Guarantee: a token is in the one answer that hands it over, and what the wallet provider calls
	// people and their keys is in none.
	test("[SEC-07] no answer, audit entry or stored row has a token, a key or the provider's names", async () => {
		const { provider, db } = own.fixture;
		const answers: Answer[] = [];
		const ask = async (path: string, init: Call) => {
			const answer = await own.fixture.call(path, init);
			answers.push(answer);
			return answer;
		};
		const access = provider.user("c4n4ry-user", [
			provider.social("s-1", "ann"),
			provider.embedded("c4n4ry-wallet", addressOf(1), true),
		]);
		const { body: enrolled } = await own.fixture.enrol(access);
		const account = privateKeyToAccount(keyOf(2));
		const message = await own.fixture.messageOf(account.address);
		const signature = await account.signMessage({ message });
		const { body: signed } = await own.fixture.call("/siwe/verify", {
			body: { message, signature },
		});

		for (const bearer of [enrolled.token, signed.token, access, `${access}-wrong`]) {
			await ask("/profile", { bearer });
			await ask("/profile", { bearer, body: { dailyUsdMax: "1" } });
			await ask("/profile", { bearer, body: { dailyUsdMax: "99999" } });
			await ask("/profile", { bearer, body: { unknown: bearer } });
			await ask("/profile/wallets/x", { method: "DELETE", bearer });
			await ask("/profile/social", { method: "DELETE", bearer });
		}
		await ask("/enrollment", { method: "POST", body: { accessToken: `${access}-wrong` } });
		await ask("/siwe/verify", { body: { message, signature } });
		await ask("/siwe/verify", { body: { message: `${message}\n`, signature } });
		await ask("/settings", {});

		const told = answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join("\n");
		const secrets = [enrolled.token, signed.token, access, "c4n4ry", signature, keyOf(2).slice(2)];
		expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
		const audited = JSON.stringify(own.fixture.audited);
		expect(own.fixture.audited.length).toBeGreaterThan(3);
		expect(secrets.filter((secret) => audited.includes(secret))).toEqual([]);
		const stored = await db.query<{ text: string }>(
			`select (select json_agg(p)::text from wallets.profile as p)
			|| (select json_agg(w)::text from wallets.wallet as w)
			|| (select json_agg(s)::text from wallets.session as s) as text`,
		);
		const tokens = [enrolled.token, signed.token, access, signature];
		expect(tokens.filter((secret) => stored[0]?.text.includes(secret))).toEqual([]);
		expect(JSON.stringify([enrolled.profile, signed.profile])).not.toMatch(
			/c4n4ry|provider|revision/,
		);
	});
});

describe("identityRoutes", () => {
	const own = identityOfFile();
	test("the document has every route, its answer, and whether it needs a session", () => {
		const app = new Elysia().use(own.fixture.identity.routes);
		const { paths, components } = openApiDocument({ app, version: "1", sandbox: false });
		const routes = Object.entries(paths).flatMap(([path, item]) =>
			Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
		);
		const named = routes.map(({ path, method }) => `${method} ${path.replace("/v1/trading", "")}`);
		expect(named.sort()).toEqual([
			"delete /profile/social",
			"delete /profile/wallets/{id}",
			"delete /session",
			"get /profile",
			"get /settings",
			"post /enrollment",
			"post /profile",
			"post /siwe/nonce",
			"post /siwe/verify",
		]);
		for (const { path, operation } of routes) {
			expect({ path, operation }).toMatchObject({ operation: { tags: ["trading"] } });
			expect(operation).toMatchObject({ summary: expect.any(String) });
			const isOpen = /settings|siwe/.test(path);
			const isGuarded = JSON.stringify(operation).includes('"session"');
			expect({ path, isGuarded }).toEqual({ path, isGuarded: !isOpen });
		}
		const text = JSON.stringify([paths, components.schemas]);
		for (const word of ["requireTradeConfirmation", "accessToken", "signature", "nonceSeconds"]) {
			expect(text).toContain(word);
		}
	});
});

describe("postEnrollment.200", () => {
	const own = identityOfFile();
	const capabilities = (body: { wallets: { address: string; capability: string }[] }) =>
		Object.fromEntries(body.wallets.map(({ address, capability }) => [address, capability]));

	test("[TRD-09] enrolling creates a profile from the provider's user, and signs in", async () => {
		const { provider } = own.fixture;
		const token = provider.user("u-1", [
			provider.social("s-1", "ann"),
			provider.external(addressOf(10)),
			provider.embedded("w-11", addressOf(11), false),
			provider.embedded("w-12", addressOf(12), true),
		]);
		const { status, body, headers } = await own.fixture.enrol(token);
		expect(status).toBe(200);
		expect(body.profile.social).toEqual({ userId: "s-1", username: "ann" });
		expect(capabilities(body.profile)).toEqual({
			[addressOf(10)]: "external/manual",
			[addressOf(11)]: "embedded/manual",
			[addressOf(12)]: "embedded/delegated",
		});
		const canonical = body.profile.wallets.filter(
			(one: { isCanonical: boolean }) => one.isCanonical,
		);
		expect(canonical).toMatchObject([{ address: addressOf(12), chainId: 4663 }]);
		expect(headers.get("set-cookie")).toBe(
			`__Host-session=${body.token}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800`,
		);
		expect((await own.fixture.call("/profile", { bearer: body.token })).body).toEqual(body.profile);
		expect((await own.fixture.call("/profile", { bearer: token })).body).toEqual(body.profile);
	});

	test("the access token may be in the body, and then takes precedence over a session", async () => {
		const { provider } = own.fixture;
		const token = provider.user("u-2", [provider.social("s-2")]);
		const { body: other } = await own.fixture.signIn(keyOf(5));
		const sent = { body: { accessToken: token } };
		const { status, body } = await own.fixture.call("/enrollment", {
			...sent,
			bearer: other.token,
		});
		expect(status).toBe(200);
		expect(body.profile.social.userId).toBe("s-2");
		expect(body.profile.id).not.toBe(other.profile.id);
		expect((await own.fixture.call("/profile", { bearer: other.token })).status).toBe(401);
	});

	test("[TRD-09] accounts in a request's body are ignored: only the provider's data counts", async () => {
		const { provider } = own.fixture;
		const token = provider.user("u-3", [provider.external(addressOf(13))]);
		const { status, body } = await own.fixture.enrol(token, {
			socialUserId: "victim",
			social: { userId: "victim" },
			userId: "u-1",
			wallets: [{ address: addressOf(10) }],
		});
		expect(status).toBe(200);
		expect(body.profile.social).toBeNull();
		expect(capabilities(body.profile)).toEqual({ [addressOf(13)]: "external/manual" });
		expect(await own.fixture.identity.service.profileOfSocial("victim")).toBeNull();
	});

	test("[TRD-09] a given or revoked delegation is noticed, and raises both revisions", async () => {
		const { provider, identity } = own.fixture;
		const accounts = [provider.embedded("w-14", addressOf(14), true)];
		const token = provider.user("u-4", accounts);
		const speaking = new Request("http://localhost/", {
			headers: { authorization: `Bearer ${token}` },
		});
		const now = async () => (await identity.service.authenticate(speaking)).profile;
		await own.fixture.enrol(token);
		const before = await now();
		await own.fixture.enrol(token);
		expect(await now()).toEqual(before);
		provider.embedded("w-14", addressOf(14), false);
		await own.fixture.enrol(token);
		const drifted = await now();
		expect(drifted.revision).toBe(before.revision + 1);
		expect(drifted.wallets).toMatchObject([{ capability: "embedded/manual", revision: 2 }]);
		provider.user("u-4", []);
		await own.fixture.enrol(token);
		const gone = await now();
		expect(gone.wallets).toMatchObject([{ capability: "disabled", revision: 3 }]);
		expect(gone.canonicalWalletId).toBeNull();
	});

	test("a profile that was created by a signature becomes the user's when they enrol with that wallet", async () => {
		const { provider } = own.fixture;
		const { body: signed } = await own.fixture.signIn(keyOf(15));
		const token = provider.user("u-5", [
			provider.social("s-5"),
			provider.external(addressOf(15)),
			provider.embedded("w-16", addressOf(16), true),
		]);
		const { body } = await own.fixture.enrol(token);
		expect(body.profile.id).toBe(signed.profile.id);
		expect(body.profile.canonicalWalletId).toBe(signed.profile.canonicalWalletId);
		expect(body.profile.wallets).toHaveLength(2);
		const { body: again } = await own.fixture.signIn(keyOf(15));
		expect(again.profile).toEqual(body.profile);
	});

	test("[TRD-09] signing in does not link an unlinked account again; an explicit request does", async () => {
		const { provider } = own.fixture;
		const token = provider.user("u-6", [
			provider.social("s-6", "eve"),
			provider.embedded("w-17", addressOf(17), true),
			provider.embedded("w-18", addressOf(18), true),
		]);
		const { body } = await own.fixture.enrol(token);
		const [first] = body.profile.wallets;
		const bearer = body.token;
		await own.fixture.call("/profile/social", { method: "DELETE", bearer });
		await own.fixture.call(`/profile/wallets/${first.id}`, { method: "DELETE", bearer });
		const { body: again } = await own.fixture.enrol(token);
		expect(again.profile.social).toBeNull();
		expect(capabilities(again.profile)).toEqual({ [addressOf(18)]: "embedded/delegated" });
		const { body: asked } = await own.fixture.enrol(token, { relink: true });
		expect(asked.profile.social).toEqual({ userId: "s-6", username: "eve" });
		expect(Object.keys(capabilities(asked.profile)).sort()).toEqual(
			[addressOf(17), addressOf(18)].sort(),
		);
		// From now on it is linked like any other.
		expect((await own.fixture.enrol(token)).body.profile).toEqual(asked.profile);
	});

	test("an unlinked wallet that now belongs to another profile prevents nobody from signing in", async () => {
		const { provider } = own.fixture;
		const token = provider.user("u-7", [provider.social("s-7"), provider.external(addressOf(19))]);
		const { body } = await own.fixture.enrol(token);
		const [wallet] = body.profile.wallets;
		const unlinking = { method: "DELETE", bearer: body.token };
		await own.fixture.call(`/profile/wallets/${wallet.id}`, unlinking);
		const { body: other } = await own.fixture.signIn(keyOf(19));
		expect(other.profile.id).not.toBe(body.profile.id);
		const again = await own.fixture.enrol(token);
		expect({ status: again.status, wallets: again.body.profile.wallets }).toEqual({
			status: 200,
			wallets: [],
		});
		expect((await own.fixture.enrol(token, { relink: true })).body.code).toBe(
			"wallet_linked_elsewhere",
		);
	});

	// Guarantee: however many come at once, one person is one profile.
	test("[TRD-09] simultaneous enrolments of one person create one profile", async () => {
		const { provider } = own.fixture;
		const token = provider.user("u-8", [
			provider.social("s-8"),
			provider.embedded("w-20", addressOf(20), true),
			provider.external(addressOf(21)),
		]);
		const gate = Promise.withResolvers<void>();
		let waiting = 0;
		provider.waits.user = async () => {
			if (++waiting === 6) gate.resolve();
			await gate.promise;
		};
		const answers = await Promise.all(Array.from({ length: 6 }, () => own.fixture.enrol(token)));
		provider.waits.user = async () => {};
		expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
		expect(new Set(answers.map(({ body }) => body.profile.id)).size).toBe(1);
		expect(new Set(answers.map(({ body }) => body.token)).size).toBe(6);
		const [row] = await own.fixture.db.query<{ profiles: number; wallets: number }>(
			`select (select count(*) from wallets.profile where social_user_id = 's-8')::int as profiles,
			(select count(*) from wallets.wallet where provider_wallet_id = 'w-20')::int as wallets`,
		);
		expect(row).toEqual({ profiles: 1, wallets: 1 });
	});

	test("each change by an enrolment is in the audit log once, without the provider's names", async () => {
		const { provider, audited } = own.fixture;
		const token = provider.user("u-9", [
			provider.social("s-9", "joe"),
			provider.embedded("w-22", addressOf(22), true),
		]);
		audited.length = 0;
		const { body } = await own.fixture.enrol(token);
		await own.fixture.enrol(token);
		provider.embedded("w-22", addressOf(22), false);
		await own.fixture.enrol(token);
		const actor = `profile:${body.profile.id}`;
		expect(audited).toMatchObject([
			{ actor, action: "wallets.profile.created", detail: { socialUserId: "s-9" } },
			{
				actor,
				action: "wallets.profile.enrolled",
				detail: { changed: [{ to: "embedded/manual" }] },
			},
		]);
		expect(JSON.stringify(audited)).not.toMatch(/w-22|u-9|access-of/);
	});
});

describe("postEnrollment.401", () => {
	const own = identityOfFile();
	test("[TRD-09] nobody is enrolled without the provider's access token", async () => {
		const { body: signed } = await own.fixture.signIn(keyOf(1));
		const attempts = [
			{},
			{ bearer: "wrong" },
			{ bearer: signed.token },
			{ cookie: `__Host-session=${signed.token}` },
			{ body: {} },
			{ body: { accessToken: signed.token } },
			{ body: { accessToken: "wrong" } },
		];
		for (const attempt of attempts) {
			const { status, body } = await own.fixture.call("/enrollment", {
				method: "POST",
				...attempt,
			});
			expect({ attempt, status, code: body.code }).toEqual({
				attempt,
				status: 401,
				code: "unauthorized",
			});
		}
		const [row] = await own.fixture.db.query<{ profiles: number }>(
			"select count(*)::int as profiles from wallets.profile",
		);
		expect(row).toEqual({ profiles: 1 });
	});

	test("[SEC-04] the error for an unreachable provider says so, and nothing is created", async () => {
		const { provider } = own.fixture;
		const token = provider.user("u-1", []);
		provider.waits.user = async () => {
			await fakeCustody().user("u-1", new AbortController().signal);
		};
		const { status, body, text } = await own.fixture.enrol(token);
		provider.waits.user = async () => {};
		expect({ status, code: body.code }).toEqual({ status: 503, code: "wallet_provider_off" });
		expect(text).not.toContain(token);
	});
});

describe("postEnrollment.409", () => {
	const own = identityOfFile();
	const everything = () =>
		own.fixture.db.query(
			`select (select json_agg(p order by p.id) from wallets.profile as p)::text as profiles,
			(select json_agg(w order by w.id) from wallets.wallet as w)::text as wallets,
			(select count(*) from wallets.session)::int as sessions`,
		);

	test("[TRD-09] a social account belongs to one profile: another user of the provider is refused", async () => {
		const { provider } = own.fixture;
		await own.fixture.enrol(provider.user("u-1", [provider.social("s-1")]));
		const before = await everything();
		const { status, body } = await own.fixture.enrol(
			provider.user("u-2", [provider.social("s-1")]),
		);
		expect({ status, code: body.code }).toEqual({ status: 409, code: "social_linked_elsewhere" });
		expect(await everything()).toEqual(before);
	});

	test("[TRD-09] an address belongs to one profile, however it was linked", async () => {
		const { provider } = own.fixture;
		await own.fixture.enrol(provider.user("u-3", [provider.embedded("w-1", addressOf(1), true)]));
		const before = await everything();
		const attempts = [
			[provider.external(addressOf(1))],
			[provider.embedded("w-2", addressOf(1), true)],
			[provider.external(addressOf(2)), provider.external(addressOf(1))],
		];
		for (const [index, accounts] of attempts.entries()) {
			const { status, body } = await own.fixture.enrol(provider.user(`u-4-${index}`, accounts));
			expect({ status, code: body.code }).toEqual({ status: 409, code: "wallet_linked_elsewhere" });
		}
		expect(await everything()).toEqual(before);
	});

	test("two profiles that were created by signatures are not merged", async () => {
		const { provider } = own.fixture;
		const { body: one } = await own.fixture.signIn(keyOf(3));
		const { body: other } = await own.fixture.signIn(keyOf(4));
		expect(one.profile.id).not.toBe(other.profile.id);
		const token = provider.user("u-5", [
			provider.external(addressOf(3)),
			provider.external(addressOf(4)),
		]);
		const { status, body } = await own.fixture.enrol(token);
		expect({ status, code: body.code }).toEqual({ status: 409, code: "wallet_linked_elsewhere" });
		expect((await own.fixture.call("/profile", { bearer: one.token })).body).toEqual(one.profile);
	});

	test("the answer to a conflict does not show the other owner", async () => {
		const { provider } = own.fixture;
		const { text } = await own.fixture.enrol(provider.user("u-6", [provider.social("s-1")]));
		const [owner] = await own.fixture.db.query<{ id: string }>(
			"select id from wallets.profile where social_user_id = 's-1'",
		);
		expect(owner?.id).toBeString();
		expect(text).not.toContain(owner?.id ?? "");
		expect(text).not.toMatch(/u-\d/);
	});
});
