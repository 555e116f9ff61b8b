import { expect, test } from "bun:test";
import { type Door, guardDoor } from "#agent/routes/guardDoor.ts";

const door: Door = { publicUrl: undefined, listensOn: "0.0.0.0", allowedOrigins: [] };

function isLetIn(url: string, origin: string | null, more: Partial<Door>): boolean {
	const headers = origin === null ? {} : { origin };
	try {
		guardDoor(new Request(url, { method: "POST", headers }), { ...door, ...more });
		return true;
	} catch (error) {
		expect(error).toMatchObject({ code: "origin_not_allowed", status: 403 });
		return false;
	}
}

test("the name that a request is sent to is one of ours, where we know them", () => {
	const publicUrl = "https://tapeline.example";
	const cases: [url: string, more: Partial<Door>, isIn: boolean][] = [
		["https://tapeline.example/x", { publicUrl }, true],
		["http://127.0.0.1:4000/x", { publicUrl }, true],
		["http://other.example/x", { publicUrl }, false],
		["http://any.example/x", {}, true],
		["http://any.example/x", { listensOn: "127.0.0.1" }, false],
		["http://localhost:4000/x", { listensOn: "127.0.0.1" }, true],
		["http://[::1]:4000/x", { listensOn: "::1" }, true],
		["http://10.0.0.5:4000/x", { listensOn: "10.0.0.5" }, true],
		["http://127.0.0.1.evil.example/x", { listensOn: "127.0.0.1" }, false],
	];
	for (const [url, more, isIn] of cases) {
		expect([url, more, isLetIn(url, null, more)]).toEqual([url, more, isIn]);
	}
});

test("a page may call from our own origin, from a listed one, and here from this machine", () => {
	const publicUrl = "https://tapeline.example";
	const url = "https://tapeline.example/x";
	const allowedOrigins = ["https://app.example"];
	const cases: [origin: string, more: Partial<Door>, isIn: boolean][] = [
		["https://tapeline.example", { publicUrl }, true],
		["http://tapeline.example", { publicUrl }, false],
		["https://app.example", { publicUrl, allowedOrigins }, true],
		["https://app.example.evil.example", { publicUrl, allowedOrigins }, false],
		["https://evil.example", { publicUrl, allowedOrigins }, false],
		["null", { publicUrl, allowedOrigins }, false],
		["http://localhost:3000", { publicUrl }, false],
		["http://localhost:3000", { publicUrl, listensOn: "127.0.0.1" }, true],
		["file://localhost", { publicUrl, listensOn: "127.0.0.1" }, false],
		["https://tapeline.example", {}, false],
	];
	for (const [origin, more, isIn] of cases) {
		expect([origin, more, isLetIn(url, origin, more)]).toEqual([origin, more, isIn]);
	}
});
