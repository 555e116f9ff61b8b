import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { DAY_MS } from "#core/time.ts";
import { SESSIONS_PER_PROFILE_MAX } from "#plugins/wallets/limits.ts";
import {
	createSessionCookie,
	readCredential,
	sessionToken,
} from "#plugins/wallets/session/createSessions.ts";
import { pruneSignInsJob } from "#plugins/wallets/siwe/createSiwe.ts";
import { keyOf, NOW_MS, openIdentity } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

describe("createSessions", () => {
	const own = identityOfFile();
	async function open(key = 1): Promise<string> {
		const { body } = await own.fixture.signIn(keyOf(key));
		return body.token;
	}

	async function statusOf(bearer: string): Promise<number> {
		return (await own.fixture.call("/profile", { bearer })).status;
	}

	const cookieOf = (token: string) => `__Host-session=${token}`;

	test("a session lasts seven days after its last use, and not longer", async () => {
		const token = await open();
		for (let day = 6; day <= 30; day += 6) {
			own.fixture.clock.ms = NOW_MS + day * DAY_MS;
			expect({ day, status: await statusOf(token) }).toEqual({ day, status: 200 });
		}
		own.fixture.clock.ms += 7 * DAY_MS - 1;
		expect(await statusOf(token)).toBe(200);
		own.fixture.clock.ms += 7 * DAY_MS;
		expect(await statusOf(token)).toBe(401);
		own.fixture.clock.ms = NOW_MS;
	});

	test("asking whether a session still lasts does not make it last longer", async () => {
		const token = await open();
		const headers = { authorization: `Bearer ${token}` };
		const ask = () =>
			own.fixture.identity.callerOf(new Request("http://localhost/", { headers }), {
				isUse: false,
			});
		own.fixture.clock.ms = NOW_MS + 6 * DAY_MS;
		expect(await ask()).not.toBeNull();
		own.fixture.clock.ms = NOW_MS + 7 * DAY_MS;
		await expect(ask()).rejects.toMatchObject({ code: "unauthorized" });
		own.fixture.clock.ms = NOW_MS;
	});

	test("a session ends after ninety days, however much it is used", async () => {
		const token = await open();
		for (let day = 5; day < 90; day += 5) {
			own.fixture.clock.ms = NOW_MS + day * DAY_MS;
			expect(await statusOf(token)).toBe(200);
		}
		own.fixture.clock.ms = NOW_MS + 90 * DAY_MS;
		expect(await statusOf(token)).toBe(401);
		own.fixture.clock.ms = NOW_MS;
	});

	test("a browser's cookie is renewed with its session, and not with each request", async () => {
		const token = await open();
		const ask = async () => {
			const { status, headers } = await own.fixture.call("/profile", { cookie: cookieOf(token) });
			expect(status).toBe(200);
			return headers.get("set-cookie");
		};
		expect(await ask()).toBeNull();
		own.fixture.clock.ms = NOW_MS + DAY_MS;
		expect(await ask()).toStartWith(`${cookieOf(token)}; Path=/; HttpOnly`);
		expect(await ask()).toBeNull();
		own.fixture.clock.ms = NOW_MS;
	});

	test("signing out ends the session itself, wherever its token was copied to", async () => {
		const token = await open();
		const out = await own.fixture.call("/session", { method: "DELETE", cookie: cookieOf(token) });
		expect({ status: out.status, text: out.text }).toEqual({ status: 204, text: "" });
		expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
		expect(await statusOf(token)).toBe(401);
		const again = await own.fixture.call("/session", { method: "DELETE", bearer: token });
		expect(again.status).toBe(204);
		expect((await own.fixture.call("/session", { method: "DELETE" })).status).toBe(204);
	});

	test("a token from before a sign-in is invalid after it", async () => {
		const before = await open();
		const signedIn = await own.fixture.signIn(keyOf(1), {}, { cookie: cookieOf(before) });
		expect(signedIn.body.token).not.toBe(before);
		expect(await statusOf(before)).toBe(401);
		expect(await statusOf(signedIn.body.token)).toBe(200);
		// Also where the browser had somebody else's session: whoever planted it is signed out.
		const planted = await open(2);
		await own.fixture.signIn(keyOf(1), {}, { cookie: cookieOf(planted) });
		expect(await statusOf(planted)).toBe(401);
	});

	test("the database holds hashes of tokens and no token", async () => {
		const token = await open();
		const [row] = await own.database.db.query<{ text: string; hashes: number }>(
			`select string_agg(s::text, ' ') as text,
			count(*) filter (where token_hash = sha256($1::bytea))::int as hashes
		from wallets.session as s`,
			[Buffer.from(token)],
		);
		expect(row?.hashes).toBe(1);
		expect(row?.text).not.toContain(token);
		expect(row?.text).not.toContain(Buffer.from(token).toString("hex"));
	});

	test("a session row that somebody writes into the database is useless if a secret is set", async () => {
		const keyed = await openIdentity(own.database.db, {
			config: { SESSION_SECRET: "s".repeat(32) },
		});
		const { body } = await keyed.signIn(keyOf(3));
		expect((await keyed.call("/profile", { bearer: body.token })).status).toBe(200);
		const forged = `svcs_${"f".repeat(43)}`;
		await own.database.db.execute(
			`insert into wallets.session (id, token_hash, profile_id, created_at, seen_at, expires_at)
		values (gen_random_uuid(), sha256($1::bytea), $2, $3, $3, $4)`,
			[Buffer.from(forged), body.profile.id, new Date(NOW_MS), new Date(NOW_MS + DAY_MS)],
		);
		expect((await keyed.call("/profile", { bearer: forged })).status).toBe(401);
		// The control: without the secret that row would do.
		expect(await statusOf(forged)).toBe(200);
	});

	test("a profile has a bounded number of sessions; the longest unused one is deleted first", async () => {
		const first = await open(4);
		own.fixture.clock.ms += 1_000;
		const second = await open(4);
		for (let more = 2; more < SESSIONS_PER_PROFILE_MAX; more++) {
			own.fixture.clock.ms += 1_000;
			await open(4);
		}
		expect(await statusOf(first)).toBe(200);
		own.fixture.clock.ms += 1_000;
		await open(4);
		expect(await statusOf(first)).toBe(401);
		expect(await statusOf(second)).toBe(200);
		own.fixture.clock.ms = NOW_MS;
	});

	test("expired sessions and nonces are deleted, and others are kept", async () => {
		const count = async () => {
			const [row] = await own.database.db.query<{ sessions: number; nonces: number }>(
				`select (select count(*) from wallets.session)::int as sessions,
				(select count(*) from wallets.siwe_nonce)::int as nonces`,
			);
			return row;
		};
		await own.database.db.execute("delete from wallets.session");
		const token = await open();
		await own.fixture.call("/siwe/nonce", { method: "POST" });
		const job = pruneSignInsJob({ db: own.database.db });
		const { signal } = new AbortController();
		const ends = async (table: string, seconds: number) =>
			void (await own.database.db.execute(
				`update wallets.${table} set expires_at = now() + $1 * interval '1 second'`,
				[seconds],
			));
		await ends("session", 600);
		await ends("siwe_nonce", 600);
		// However far a process's clock is ahead: the database's time decides.
		own.fixture.clock.ms = NOW_MS + 15 * DAY_MS;
		await job.run({ signal });
		own.fixture.clock.ms = NOW_MS;
		expect(await count()).toEqual({ sessions: 1, nonces: 1 });
		await ends("siwe_nonce", -1);
		await job.run({ signal });
		expect(await count()).toEqual({ sessions: 1, nonces: 0 });
		expect(await statusOf(token)).toBe(200);
		await ends("session", -1);
		await job.run({ signal });
		expect(await count()).toEqual({ sessions: 0, nonces: 0 });
	});
});

describe("readCredential", () => {
	const cookie = createSessionCookie({ secure: false });
	const token = `svcs_${"a".repeat(43)}`;
	const other = `svcs_${"b".repeat(43)}`;
	const read = (headers: Record<string, string>) =>
		readCredential(new Request("http://localhost/", { headers }), cookie);

	test("a session token is accepted as bearer or as cookie; another bearer is the provider's", () => {
		const session = { kind: "session", token } as const;
		expect(read({ authorization: `Bearer ${token}` })).toEqual({ ...session, from: "header" });
		expect(read({ authorization: `bearer  ${token} ` })).toEqual({ ...session, from: "header" });
		expect(read({ cookie: `session=${token}` })).toEqual({ ...session, from: "cookie" });
		expect(read({ authorization: "Bearer a.b.c" })).toEqual({ kind: "access", token: "a.b.c" });
	});

	test("a bearer token always takes precedence over a cookie, even a wrong one", () => {
		const both = { cookie: `session=${token}` };
		expect(read({ ...both, authorization: `Bearer ${other}` })).toMatchObject({ token: other });
		expect(read({ ...both, authorization: "Bearer wrong" })).toMatchObject({ kind: "access" });
		expect(read({ ...both, authorization: "Bearer " })).toEqual(
			read({ ...both, authorization: "Bearer" }),
		);
		expect(read({ ...both, authorization: `Bearer ${"a".repeat(5_000)}` })).toEqual({
			kind: "none",
		});
		// A password of the edge in front of us is not ours to judge.
		expect(read({ ...both, authorization: "Basic dTpw" })).toMatchObject({ token, from: "cookie" });
	});

	test("a credential that is no token of ours is not looked up", () => {
		expect(read({})).toEqual({ kind: "none" });
		expect(read({ cookie: "session=" })).toEqual({ kind: "none" });
		expect(read({ cookie: "session=' or 1=1 --" })).toEqual({ kind: "none" });
	});
});

describe("sessionCookie", () => {
	const secure = createSessionCookie({ secure: true });
	const plain = createSessionCookie({ secure: false });
	const read = (cookie: string, from = plain) =>
		from.read(new Request("http://localhost/", { headers: { cookie } }));

	test("the session cookie is Secure and bound to this host and path behind TLS", () => {
		expect(secure.set("abc")).toBe(
			"__Host-session=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800",
		);
		expect(plain.set("abc")).toBe("session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800");
		expect(secure.clear()).toBe(
			"__Host-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0",
		);
	});

	test("the cookie is found among others, by its exact name", () => {
		expect(read("a=b; session=abc; c=d")).toBe("abc");
		expect(read("session=abc")).toBe("abc");
		expect(read("session=a=b")).toBe("a=b");
		expect(read("xsession=abc; session2=d; Session=e")).toBeNull();
		expect(plain.read(new Request("http://localhost/"))).toBeNull();
	});

	test("a cookie that another site of the domain could have set is not read", () => {
		// Behind TLS only the name that browsers protect counts.
		expect(read("session=planted", secure)).toBeNull();
		expect(read("__Host-session=own; session=planted", secure)).toBe("own");
		expect(read("session=own; session=planted")).toBeNull();
		expect(read("__Host-session=own; __Host-session=planted", secure)).toBeNull();
	});

	test("an endless header is not searched", () => {
		expect(read(`a=${"b".repeat(20_000)}; session=abc`)).toBeNull();
	});
});

describe("sessionToken", () => {
	test("a token is 256 random bits after a fixed prefix", () => {
		const asked: number[] = [];
		const made = Array.from({ length: 500 }, () =>
			sessionToken.create((count) => {
				asked.push(count);
				return randomBytes(count);
			}),
		);
		expect(new Set(asked)).toEqual(new Set([32]));
		expect(new Set(made).size).toBe(500);
		expect(made.every(sessionToken.isOne)).toBe(true);
		for (const text of ["", "svcs_", "svcs_abc", `x${made[0]}`, `${made[0]}=`, "a.b.c"]) {
			expect(sessionToken.isOne(text)).toBe(false);
		}
	});

	test("a token is stored as its SHA-256, keyed if the deployment has a secret", () => {
		const token = sessionToken.create(randomBytes);
		const plain = sessionToken.hash(token, undefined);
		expect(plain).toEqual(createHash("sha256").update(token).digest());
		const keyed = sessionToken.hash(token, "a".repeat(32));
		expect(keyed).toHaveLength(32);
		expect(keyed).not.toEqual(plain);
		expect(keyed).not.toEqual(sessionToken.hash(token, "b".repeat(32)));
		expect(keyed).toEqual(sessionToken.hash(token, "a".repeat(32)));
	});
});
