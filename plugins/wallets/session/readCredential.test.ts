import { expect, test } from "bun:test";
import { readCredential } from "#plugins/wallets/session/readCredential.ts";
import { createSessionCookie } from "#plugins/wallets/session/sessionCookie.ts";

const cookie = createSessionCookie({ secure: false });
const token = `svcs_${"a".repeat(43)}`;
const other = `svcs_${"b".repeat(43)}`;
const read = (headers: Record<string, string>) =>
	readCredential(new Request("http://localhost/", { headers }), cookie);

test("a session token comes as bearer or as cookie; another bearer is the provider's", () => {
	const session = { kind: "session", token } as const;
	expect(read({ authorization: `Bearer ${token}` })).toEqual({ ...session, from: "header" });
	expect(read({ authorization: `bearer  ${token} ` })).toEqual({ ...session, from: "header" });
	expect(read({ cookie: `session=${token}` })).toEqual({ ...session, from: "cookie" });
	expect(read({ authorization: "Bearer a.b.c" })).toEqual({ kind: "access", token: "a.b.c" });
});

test("a bearer token is never set aside for a cookie, not even a wrong one", () => {
	const both = { cookie: `session=${token}` };
	expect(read({ ...both, authorization: `Bearer ${other}` })).toMatchObject({ token: other });
	expect(read({ ...both, authorization: "Bearer wrong" })).toMatchObject({ kind: "access" });
	expect(read({ ...both, authorization: "Bearer " })).toEqual(
		read({ ...both, authorization: "Bearer" }),
	);
	expect(read({ ...both, authorization: `Bearer ${"a".repeat(5_000)}` })).toEqual({ kind: "none" });
	// A password of the edge in front of us is not ours to judge.
	expect(read({ ...both, authorization: "Basic dTpw" })).toMatchObject({ token, from: "cookie" });
});

test("what is no token of ours is not looked up", () => {
	expect(read({})).toEqual({ kind: "none" });
	expect(read({ cookie: "session=" })).toEqual({ kind: "none" });
	expect(read({ cookie: "session=' or 1=1 --" })).toEqual({ kind: "none" });
});
