import { expect, test } from "bun:test";
import { createSessionCookie } from "#plugins/wallets/session/sessionCookie.ts";

const secure = createSessionCookie({ secure: true });
const plain = createSessionCookie({ secure: false });
const read = (cookie: string, from = plain) =>
	from.read(new Request("http://localhost/", { headers: { cookie } }));

test("behind TLS the cookie is Secure and bound to this host and path", () => {
	expect(secure.set("abc")).toBe(
		"__Host-session=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800",
	);
	expect(plain.set("abc")).toBe("session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800");
	expect(secure.clear()).toBe("__Host-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
});

test("the cookie is found among others, by its whole name", () => {
	expect(read("a=b; session=abc; c=d")).toBe("abc");
	expect(read("session=abc")).toBe("abc");
	expect(read("session=a=b")).toBe("a=b");
	expect(read("xsession=abc; session2=d; Session=e")).toBeNull();
	expect(plain.read(new Request("http://localhost/"))).toBeNull();
});

test("one that a neighbour could have planted is not read", () => {
	// Behind TLS only the name that browsers protect counts.
	expect(read("session=planted", secure)).toBeNull();
	expect(read("__Host-session=own; session=planted", secure)).toBe("own");
	expect(read("session=own; session=planted")).toBeNull();
	expect(read("__Host-session=own; __Host-session=planted", secure)).toBeNull();
});

test("a header without end is not searched", () => {
	expect(read(`a=${"b".repeat(20_000)}; session=abc`)).toBeNull();
});
