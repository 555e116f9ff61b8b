import { expect, test } from "bun:test";
import { signInOrigins } from "#plugins/wallets/siwe/signInOrigins.ts";

function origins(host: string | null, place: Partial<Parameters<typeof signInOrigins>[1]> = {}) {
	const headers = host === null ? new Headers() : new Headers({ host });
	const request = new Request("http://localhost/", { headers });
	const allowedOrigins = ["https://app.example"];
	return signInOrigins(request, { publicUrl: undefined, sandbox: false, allowedOrigins, ...place });
}

test("[TRD-10] with a public address, sign-in is for it and the allowed pages, whatever Host says", () => {
	const publicUrl = "https://svc.example/api";
	for (const host of ["evil.example", "localhost:4000", "svc.example", null]) {
		for (const sandbox of [true, false]) {
			expect(origins(host, { publicUrl, sandbox })).toEqual([
				"https://svc.example",
				"https://app.example",
			]);
		}
	}
});

test("[TRD-10] without one, the Host that a caller writes counts for this machine alone", () => {
	for (const host of ["evil.example", "localhost.evil.example", "10.0.0.1:4000", "", "a b", null]) {
		expect({ host, origins: origins(host) }).toEqual({ host, origins: ["https://app.example"] });
	}
	expect(origins("127.0.0.1:4000")).toEqual([
		"http://127.0.0.1:4000",
		"http://localhost:4000",
		"http://[::1]:4000",
		"https://app.example",
	]);
	expect(origins("localhost")).toContain("http://localhost");
	expect(origins("user@localhost:1")).toEqual(["https://app.example"]);
	expect(origins("localhost:4000/x")).toEqual(["https://app.example"]);
});

test("in the sandbox, where nothing is real, any name that it is called by will do", () => {
	expect(origins("sandbox.lan:4000", { sandbox: true })).toEqual([
		"http://sandbox.lan:4000",
		"https://app.example",
	]);
});
