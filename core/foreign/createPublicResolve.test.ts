import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { createForeignFetch } from "#core/foreign/createForeignFetch.ts";
import { requestOnce } from "#core/foreign/requestOnce.ts";
import { createPublicResolve } from "#core/foreign/resolve.ts";
import { startCanary } from "#core/foreign/testing/canary.ts";
import { type NameRecords, startNameServer } from "#core/foreign/testing/startNameServer.ts";

const LOOPBACK = "0:0:0:0:0:0:0:1";
const PUBLIC = "2606:4700:0:0:0:0:0:1111";
const REDIRECT = { status: 302, contentType: null, contentEncoding: null, location: "/" };
const names: Record<string, NameRecords> = {
	"both.example": { four: ["8.8.8.8"], six: [PUBLIC] },
	"four.example": { four: ["8.8.8.8", "8.8.4.4"] },
	"half.example": { four: ["8.8.8.8"], six: "silent" },
	"mute.example": { four: "silent", six: "silent" },
	"empty.example": {},
	"alias.example": { alias: "inward.example", four: ["10.0.0.1"] },
	"six-inward.example": { four: ["8.8.8.8"], six: [LOOPBACK] },
	"mapped.example": { six: ["0:0:0:0:0:ffff:7f00:1"] },
	"nat64.example": { six: ["64:ff9b:0:0:0:0:7f00:1"] },
	"crowd.example": { four: [...Array.from({ length: 20 }, () => "8.8.8.8"), "127.0.0.1"] },
	"router.example": { four: ["192.168.0.1"] },
};
let server: Awaited<ReturnType<typeof startNameServer>>;
const turned = () => server.asked.filter((question) => question === "turning.example A").length;
beforeAll(async () => {
	server = await startNameServer((name) =>
		name === "turning.example"
			? { four: [turned() < 2 ? "8.8.8.8" : "127.0.0.1"] }
			: (names[name] ?? null),
	);
});
afterAll(() => server.close());

const never = new AbortController().signal;
const look = (host: string, signal = never, timeoutMs = 10_000) =>
	createPublicResolve({ servers: [server.address], timeoutMs })(host, signal);

test("a name's addresses of both families are returned, IPv4 first", async () => {
	expect(await look("both.example")).toEqual(["8.8.8.8", "2606:4700::1111"]);
	expect(await look("four.example")).toEqual(["8.8.8.8", "8.8.4.4"]);
	expect(await look("alias.example")).toEqual(["10.0.0.1"]);
	expect(await look("empty.example").catch(() => [])).toEqual([]);
	await expect(look("no-such-name.example")).rejects.toThrow();
});

test("a DNS server that never answers for one family does not hide the other", async () => {
	expect(await look("half.example", never, 1_000)).toEqual(["8.8.8.8"]);
	await expect(look("mute.example", never, 100)).rejects.toThrow();
});

test("a DNS query is aborted with its caller", async () => {
	const late = new AbortController();
	const looking = look("mute.example", late.signal, 60_000);
	late.abort();
	await expect(looking).rejects.toThrow();
	await expect(look("both.example", AbortSignal.abort())).rejects.toThrow();
});

test("names of the machine's own hosts file are not resolved", async () => {
	for (const name of ["localhost", "ip6-localhost"]) await expect(look(name)).rejects.toThrow();
});

test("[SEC-05] names whose DNS servers are silent delay neither file access nor other names", async () => {
	const late = new AbortController();
	const silent = Array.from({ length: 64 }, () => look("mute.example", late.signal, 60_000));
	const ended = Promise.allSettled(silent);
	await readFile(import.meta.path);
	expect(await look("both.example", never, 5_000)).toContain("8.8.8.8");
	late.abort();
	for (const one of await ended) expect(one.status).toBe("rejected");
});

test("[SEC-05] no private address is called, whatever DNS servers answer now or a moment later", async () => {
	const canary = await startCanary();
	const fetchForeign = createForeignFetch({
		ports: [canary.port],
		resolve: createPublicResolve({ servers: [server.address], timeoutMs: 10_000 }),
		// What is public is far away: it leads back to its own name. All else is really called.
		exchange: async (request) =>
			request.addresses.every((address) => address.startsWith("8.8."))
				? { ...REDIRECT, body: Buffer.alloc(0) }
				: requestOnce(request),
	});
	const ask = (name: string) =>
		fetchForeign({ url: `http://${name}:${canary.port}/`, bytesMax: 100, timeoutMs: 5_000 });
	const inward = ["alias", "six-inward", "mapped", "nat64", "crowd", "router", "turning"];
	for (const name of inward) {
		await expect(ask(`${name}.example`), name).rejects.toThrow("not on the public network");
	}
	expect(turned()).toBe(2);
	expect(canary.connections).toBe(0);
	canary.close();
});
