import { expect, test } from "bun:test";
import { isPublicHost } from "#core/foreign/isPublicHost.ts";

test("names with dots and public addresses may be public", () => {
	for (const host of ["a.test", "xn--bcher-kva.example", "93.184.215.14", "[2606:4700::1111]"]) {
		expect(isPublicHost(host)).toBe(true);
	}
});

test("names that local networks keep, single labels and special addresses are not", () => {
	const local = [
		"localhost",
		"a.localhost",
		"nas.local",
		"router.lan",
		"x.internal",
		"printer",
		"",
	];
	const addresses = [
		"127.0.0.1",
		"10.0.0.7",
		"169.254.169.254",
		"100.64.0.1",
		"[::1]",
		"[fe80::1]",
	];
	const mapped = ["[::ffff:a9fe:a9fe]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"];
	for (const host of [...local, ...addresses, ...mapped, "a.test.", ".a.test", "[x]"]) {
		expect(isPublicHost(host), host).toBe(false);
	}
});
