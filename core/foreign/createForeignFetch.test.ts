import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import fc from "fast-check";
import {
	createForeignFetch,
	createSlots,
	type ForeignRequest,
	openForeignFetch,
} from "#core/foreign/createForeignFetch.ts";
import type { OneRequest } from "#core/foreign/requestOnce.ts";
import { type Canary, startCanary, startRawServer } from "#core/foreign/testing/canary.ts";

describe("createForeignFetch", () => {
	let canary: Canary;
	const closing: (() => void)[] = [];
	beforeAll(async () => {
		canary = await startCanary();
	});
	afterAll(() => canary.close());
	afterEach(() => {
		for (const close of closing.splice(0)) close();
		expect(canary.connections).toBe(0);
	});

	const ask = (url: string, rest: Partial<ForeignRequest> = {}): ForeignRequest => ({
		url,
		bytesMax: 1_000_000,
		timeoutMs: 5_000,
		...rest,
	});

	/** What names lead to; the canary's port is open here, so that only addresses protect it. */
	function guarded(names: Record<string, string[]> = {}) {
		return createForeignFetch({
			ports: [80, 443, canary.port],
			resolve: async (host) => names[host] ?? Promise.reject(new Error("ENOTFOUND")),
		});
	}

	/** A server of the operator's, which answers every path by what stands there. */
	async function ownServer(answerOf: (path: string) => string | Buffer) {
		const server = await startRawServer((socket, head) => {
			socket.end(answerOf(head.split(" ")[1] ?? "/"));
		});
		closing.push(server.close);
		return server;
	}

	const found = (location: string) =>
		`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
	const ok = (body: string | Buffer, fields = "") =>
		Buffer.concat([
			Buffer.from(`HTTP/1.1 200 OK\r\n${fields}Content-Length: ${body.length}\r\n\r\n`),
			Buffer.from(body),
		]);

	/** Loopback and its kin, in every way of writing that some parser understands. */
	const NOTATIONS = [
		...["127.0.0.1", "127.1", "127.0.1", "127.255.255.254", "2130706433", "017700000001"],
		...["0x7f000001", "0x7f.1", "0x7F.0.0.0x1", "0177.0.0.1", "0177.0.01", "127.000.000.001"],
		...["00000177.1", "127.0.0.1.", "2130706433.", "0", "0.0.0.0", "0x0", "00", "%31%32%37.0.0.1"],
		...[
			"127%2e0%2e0%2e1",
			"①②⑦.⓪.⓪.①",
			"１２７.０.０.１",
			"127。0。0。1",
			"127｡0｡0｡1",
			"127．0．0．1",
		],
		...["[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::]", "[::127.0.0.1]", "[::7f00:1]"],
		...[
			"[::ffff:127.0.0.1]",
			"[::ffff:7f00:1]",
			"[0:0:0:0:0:ffff:127.0.0.1]",
			"[::FFFF:7F00:0001]",
		],
		...["[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::127.0.0.1]"],
		...["[2002:7f00:1::]", "[2001:0:7f00:1::1]", "[::1%25lo]", "[::1%lo]", "[fe80::1%25lo]"],
		...[
			"localhost",
			"LOCALHOST",
			"LocalHost.",
			"a.localhost",
			"ｌocalhost",
			"localhost%00.example.com",
		],
		...[
			"user@127.0.0.1",
			"8.8.8.8@127.0.0.1",
			"example.com:80@127.0.0.1",
			"example.com%40@127.0.0.1",
		],
		...["localho\u00adst", "loc\u200balhost", "127.0.0.1\t", "\t127.0.0.1", "12\n7.0.0.1"],
		...["127.0.0.1%2f", "127.0.0.1%23.example.com", "127.0.0.1;example.com", "[::1]example.com"],
		...["𝟏𝟐𝟕.𝟎.𝟎.𝟏", "۱۲۷.0.0.1", "１２７。０。０。１", "０ｘ７ｆ．１", "⑴27.0.0.1", "127.0.0.1℀"],
		...[
			"[::127.1]",
			"[::1",
			"[::ffff:0x7f.1]",
			"[::ffff:127.0.0.1%25lo]",
			"[ff02::1]",
			"[fec0::1]",
		],
		...["[2001:470::5efe:127.0.0.1]", "[fc00::1]", "[2001:db8::1]", "[100::1]", "[::ffff:0:0]"],
		...["0xffffffff", "255.255.255.255", "240.0.0.1", "224.0.0.1", "192.0.0.192", "198.18.0.1"],
		...["168.63.129.16", "4294967296", "127.0.0.1.1", "0x100000000", "1.2.3.04.", "127..0.1"],
		...["localhost.", "localhost.localdomain", "a.b.localhost", "metadata.google.internal"],
		...["metadata.google.internal.", ".localhost", "..", ".", "-", `${"a".repeat(64)}.example`],
		...[
			`${"a.".repeat(130)}example`,
			"kubernetes.default.svc.cluster.local",
			"host.docker.internal",
		],
		...["example.com#@127.0.0.1", "127.0.0.1\\@example.com", "example.com\\@127.0.0.1", "::1"],
		...[
			"169.254.169.254",
			"0xa9fea9fe",
			"[fd00:ec2::254]",
			"10.0.0.1",
			"[fe80::1]",
			"100.100.100.200",
		],
	];

	test("[SEC-05] no connection is made to a private address in any notation", async () => {
		const fetchForeign = guarded();
		for (const scheme of ["http", "https", "HTTP"]) {
			for (const host of NOTATIONS) {
				const url = `${scheme}://${host}:${canary.port}/`;
				await expect(fetchForeign(ask(url)), url).rejects.toThrow(/foreign_(refused|unreachable)/);
			}
		}
		expect(canary.connections).toBe(0);
	});

	test("[SEC-05] no connection is made to a name that resolves to a private address", async () => {
		const fetchForeign = guarded({
			"127.0.0.1.nip.io": ["127.0.0.1"],
			"evil.example": ["127.0.0.1"],
			"six.example": ["::1"],
			"mapped.example": ["::ffff:127.0.0.1"],
			"mixed.example": ["8.8.8.8", "127.0.0.1"],
			"zone.example": ["::1%lo"],
			"any.example": ["0.0.0.0"],
			"xn--bcher-kva.example": ["127.0.0.1"],
		});
		const names = [
			"127.0.0.1.nip.io",
			"evil.example",
			"EVIL.example",
			"six.example",
			"mixed.example",
		];
		for (const name of [
			...names,
			"mapped.example",
			"zone.example",
			"any.example",
			"bücher.example",
		]) {
			const url = `http://${name}:${canary.port}/`;
			await expect(fetchForeign(ask(url)), url).rejects.toThrow("foreign_refused");
		}
		for (const host of ["127.0.0.1.nip.io", "evil.example"]) {
			const url = `https://${host}:${canary.port}/`;
			await expect(fetchForeign(ask(url)), url).rejects.toThrow("foreign_refused");
		}
	});

	test("[SEC-05] the machine's own names, as its resolver knows them, are refused", async () => {
		const fetchForeign = createForeignFetch({ ports: [canary.port] });
		for (const name of ["localhost", "ip6-localhost", "localhost.localdomain"]) {
			const url = `http://${name}:${canary.port}/`;
			await expect(fetchForeign(ask(url)), url).rejects.toThrow("foreign_refused");
		}
	});

	test("[SEC-05] the target of a redirect is checked like the first URL, in every notation", async () => {
		const at = new Map<string, string>();
		const own = await ownServer((path) => found(at.get(path) ?? "/"));
		const fetchForeign = guarded({ "evil.example": ["127.0.0.1"] });
		const places = [...NOTATIONS, "evil.example"]
			// A header field cannot hold these.
			.filter((host) => !/[^\x20-\x7e]/.test(host))
			.flatMap((host) => [`http://${host}:${canary.port}/`, `//${host}:${canary.port}/`]);
		const others = ["file:///etc/hostname", "data:,x", "s3://b/k", "ftp://127.0.0.1/"];
		for (const [index, place] of [...places, ...others].entries()) {
			at.set(`/${index}`, place);
			const request = ask(`${own.origin}/${index}`, { allowedOrigins: [own.origin] });
			await expect(fetchForeign(request), place).rejects.toThrow(/foreign_(refused|unreachable)/);
		}
		expect(at.size).toBeGreaterThan(80);
	});

	test("[SEC-05] each hop's name is resolved once, and the checked address is the one called", async () => {
		const answers = [["8.8.8.8", "2606:4700::1111"], ["8.8.4.4"], ["127.0.0.1"]];
		const called: OneRequest[] = [];
		let lookedUp = 0;
		const fetchForeign = createForeignFetch({
			resolve: async () => answers[lookedUp++] ?? [],
			exchange: async (request) => {
				called.push(request);
				const body = Buffer.from("x");
				const location = "/again";
				return { status: 302, contentType: null, contentEncoding: null, location, body };
			},
		});
		await expect(fetchForeign(ask("http://rebind.example/"))).rejects.toThrow("foreign_refused");
		expect(called.map(({ addresses }) => addresses)).toEqual(answers.slice(0, 2));
		expect(called.map(({ url }) => url.href)).toEqual([
			"http://rebind.example/",
			"http://rebind.example/again",
		]);
		expect(lookedUp).toBe(3);
		expect(called.some(({ isKept }) => isKept)).toBe(false);
	});

	test("a fourth redirect, and one from https to http, are refused", async () => {
		let calls = 0;
		const to = (location: string) =>
			createForeignFetch({
				resolve: async () => ["8.8.8.8"],
				exchange: async () => {
					calls++;
					const body = Buffer.alloc(0);
					return { status: 302, contentType: null, contentEncoding: null, location, body };
				},
			});
		await expect(to("https://a.example/")(ask("http://a.example/"))).rejects.toThrow("3 redirects");
		expect(calls).toBe(4);
		await expect(to("http://a.example/")(ask("https://a.example/"))).rejects.toThrow("to http");
		expect(calls).toBe(5);
	});

	test("an origin that the operator allowed is reached, and may redirect within itself only", async () => {
		const own = await ownServer((path) => (path === "/moved" ? found("/here") : ok(`at ${path}`)));
		const neighbour = await ownServer(() => found(`${own.origin}/secret`));
		const fetchForeign = createForeignFetch({ isOffline: true });
		const allowedOrigins = [own.origin, neighbour.origin];
		const answer = await fetchForeign(ask(`${own.origin}/moved`, { allowedOrigins }));
		expect(answer.status).toBe(200);
		expect(Buffer.from(answer.body).toString()).toBe("at /here");
		await expect(fetchForeign(ask(`${own.origin}/here`))).rejects.toThrow("foreign_refused");
		const detour = fetchForeign(ask(`${neighbour.origin}/`, { allowedOrigins }));
		await expect(detour).rejects.toThrow("foreign_refused");
	});

	test("[SEC-05] a gateway that the operator allowed cannot redirect to a private address", async () => {
		const places = [`http://127.0.0.1:${canary.port}/`, `//[::1]:${canary.port}/`];
		const gateway = await ownServer((path) =>
			found(places[Number(path.slice(1))] ?? "file:///etc"),
		);
		for (const index of [0, 1, 2]) {
			const request = ask(`${gateway.origin}/${index}`, { allowedOrigins: [gateway.origin] });
			await expect(guarded()(request)).rejects.toThrow("foreign_refused");
		}
	});

	test("[SEC-05] a redirect to a very long URL, with credentials or to another port is refused", async () => {
		const far = [
			`http://a.example/${"x".repeat(3_000)}`,
			`/${"x".repeat(3_000)}`,
			"http://user:secret@a.example/",
			"//user@a.example/",
			"http://a.example:22/",
			"//a.example:25/",
			"gopher://a.example/",
			"ipfs://bafy",
			"javascript:alert(1)",
			"http:\\\\a.example\\",
			"",
		];
		for (const status of [301, 302, 303, 307, 308]) {
			for (const location of far) {
				let calls = 0;
				const fetchForeign = createForeignFetch({
					resolve: async () => ["8.8.8.8"],
					exchange: async () => {
						calls++;
						const body = Buffer.alloc(0);
						return { status, contentType: null, contentEncoding: null, location, body };
					},
				});
				await expect(fetchForeign(ask("http://a.example/")), location).rejects.toThrow("refused");
				// An empty one is the same place again, until there were enough of them.
				expect(calls).toBe(location === "" ? 4 : 1);
			}
		}
		const endless = `HTTP/1.1 302 Found\r\nLocation: /${"x".repeat(20_000)}\r\n\r\n`;
		const own = await ownServer(() => endless);
		const request = ask(`${own.origin}/`, { allowedOrigins: [own.origin] });
		await expect(guarded()(request)).rejects.toThrow("foreign_unreachable");
	});

	test("when switched off, no public host is resolved or called", async () => {
		const reached = async () => expect.unreachable();
		const fetchForeign = createForeignFetch({
			isOffline: true,
			resolve: reached,
			exchange: reached,
		});
		await expect(fetchForeign(ask("https://example.com/"))).rejects.toThrow("switched off");
	});

	test("[SEC-05] compressed answers are read, and decompression bombs are refused", async () => {
		const zeros = Buffer.alloc(32 * 1024 * 1024);
		const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
		const bodies: Record<string, Buffer> = {
			"/text": ok(gzipSync("{}"), "Content-Encoding: GZIP\r\nContent-Type: application/json\r\n"),
			"/gzip": ok(gzipSync(zeros), "Content-Encoding: gzip\r\n"),
			"/br": ok(brotliCompressSync(zeros, quick), "Content-Encoding: br\r\n"),
		};
		const own = await ownServer((path) => bodies[path] ?? "");
		const read = (path: string) =>
			createForeignFetch()(ask(own.origin + path, { allowedOrigins: [own.origin] }));
		const text = await read("/text");
		expect(text).toMatchObject({ status: 200, contentType: "application/json" });
		expect(Buffer.from(text.body).toString()).toBe("{}");
		for (const path of ["/gzip", "/br"]) await expect(read(path)).rejects.toThrow("too_large");
	});

	test("[SEC-05] one time limit covers the resolving, the wait for a place, and every hop", async () => {
		const silent = await startRawServer(() => {});
		closing.push(silent.close);
		const allowedOrigins = [silent.origin];
		const fetchForeign = createForeignFetch({ resolve: () => new Promise(() => {}) });
		const late = ask("http://slow.example/", { timeoutMs: 30 });
		// Four at once for a host: the others wait for a place until their time is over.
		const all = await Promise.allSettled(Array.from({ length: 9 }, () => fetchForeign(late)));
		for (const one of all) expect(one).toMatchObject({ reason: { code: "foreign_unreachable" } });
		const mute = fetchForeign(ask(silent.origin, { timeoutMs: 30, allowedOrigins }));
		await expect(mute).rejects.toThrow("in time");
		const gone = fetchForeign(ask(silent.origin, { allowedOrigins, signal: AbortSignal.abort() }));
		await expect(gone).rejects.toThrow("foreign_unreachable");
	});

	test("[SEC-05] simultaneous calls are limited per host, per site and in total", async () => {
		const open = new Map<string, number>();
		const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
		const fetchForeign = createForeignFetch({
			resolve: async () => ["8.8.8.8"],
			resolveAllowed: async () => ["10.0.0.7"],
			exchange: async ({ url }) => {
				const site = url.host.split(".").slice(-2).join(".");
				for (const key of new Set([url.host, site])) open.set(key, (open.get(key) ?? 0) + 1);
				open.set("all", (open.get("all") ?? 0) + 1);
				await gate;
				const nothing = { contentType: null, contentEncoding: null, location: null };
				return { status: 200, ...nothing, body: Buffer.alloc(0) };
			},
		});
		const all = (count: number, hostOf: (index: number) => string) =>
			Array.from({ length: count }, (_, index) => fetchForeign(ask(`http://${hostOf(index)}/`)));
		const oneHost = all(20, () => "a.slow.example");
		await new Promise(setImmediate);
		expect(open.get("a.slow.example")).toBe(4);
		const oneSite = all(50, (index) => `h${index}.slow.example`);
		await new Promise(setImmediate);
		expect(open.get("slow.example")).toBe(16);
		const many = all(100, (index) => `h${index}.example`);
		await new Promise(setImmediate);
		expect(open.get("all")).toBe(48);
		const allowedOrigins = ["http://gateway:8080"];
		const gateway = Array.from({ length: 30 }, () =>
			fetchForeign(ask("http://gateway:8080/ipfs/a", { allowedOrigins })),
		);
		await new Promise(setImmediate);
		expect(open.get("gateway:8080")).toBe(16);
		openGate();
		expect(await Promise.all([...oneHost, ...oneSite, ...many, ...gateway])).toHaveLength(200);
	});

	test("an urgent fetch does not wait behind others of its host that are not answered", async () => {
		const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
		const begun: string[] = [];
		const fetchForeign = createForeignFetch({
			resolve: async () => ["8.8.8.8"],
			exchange: async ({ url }) => {
				begun.push(url.pathname);
				if (url.pathname === "/silent") await gate;
				const nothing = { contentType: null, contentEncoding: null, location: null };
				return { status: 200, ...nothing, body: Buffer.alloc(0) };
			},
		});
		const all = Array.from({ length: 20 }, () => fetchForeign(ask("http://a.example/silent")));
		const late = fetchForeign(ask("http://a.example/later"));
		const urgent = (path: string) =>
			fetchForeign(ask(`http://a.example${path}`, { isUrgent: true }));
		for (let turn = 0; turn < 9; turn++) expect((await urgent("/look")).status).toBe(200);
		expect(begun).not.toContain("/later");
		// Its own places are limited too.
		const stuck = Array.from({ length: 9 }, () => urgent("/silent"));
		await new Promise(setImmediate);
		expect(begun.filter((path) => path === "/silent")).toHaveLength(6);
		openGate();
		expect(await Promise.all([...all, late, ...stuck])).toHaveLength(30);
	});

	test("the private test servers that must not be called can in fact be reached", async () => {
		const lonely = await startCanary();
		closing.push(lonely.close);
		const allowedOrigins = [`http://127.0.0.1:${lonely.port}`];
		await createForeignFetch()(ask(`http://127.0.0.1:${lonely.port}/`, { allowedOrigins }));
		expect(lonely.connections).toBe(1);
	});
});

describe("createSlots", () => {
	const never = new AbortController().signal;
	const of = (key: string, max: number) => [{ key, max }];

	test("places are limited in total and by key, and a wait for a full key does not block other keys", async () => {
		const slots = createSlots({ placesMax: 3, waitingMax: 9 });
		const order: string[] = [];
		const take = async (key: string) => {
			const release = await slots.take(of(key, 2), never);
			order.push(key);
			return release;
		};
		const [first] = [await take("a"), await take("a")];
		const third = take("a");
		const other = await take("b");
		const fourth = take("b");
		expect(order).toEqual(["a", "a", "b"]);
		first?.();
		(await third)();
		(await fourth)();
		other();
		expect(order).toEqual(["a", "a", "b", "a", "b"]);
	});

	test("a place counts in each of its shares, and a full share makes a caller wait", async () => {
		const slots = createSlots({ placesMax: 9, waitingMax: 9 });
		const host = (name: string) => [...of(name, 2), ...of("site", 3), ...of("strangers", 4)];
		const first = await slots.take(host("a"), never);
		await slots.take(host("a"), never);
		await slots.take(host("b"), never);
		const sameSite = slots.take(host("c"), never);
		await slots.take(of("strangers", 4), never);
		await slots.take(of("own", 1), never);
		let isIn = false;
		sameSite.then(() => {
			isIn = true;
		});
		await Promise.resolve();
		expect(isIn).toBe(false);
		first();
		await sameSite;
	});

	test("releasing a place twice frees one place", async () => {
		const slots = createSlots({ placesMax: 1, waitingMax: 9 });
		const release = await slots.take(of("a", 1), never);
		release();
		release();
		await slots.take(of("a", 1), never);
		const late = new AbortController();
		const waiting = slots.take(of("a", 1), late.signal);
		late.abort();
		await expect(waiting).rejects.toThrow("foreign_unreachable");
	});

	test("a full queue refuses a caller, and a caller that gives up leaves the queue", async () => {
		const slots = createSlots({ placesMax: 1, waitingMax: 1 });
		const release = await slots.take(of("a", 1), never);
		const late = new AbortController();
		const waiting = slots.take(of("b", 1), late.signal);
		await expect(slots.take(of("c", 1), never)).rejects.toThrow("too many");
		late.abort();
		await expect(waiting).rejects.toThrow("in time");
		const next = slots.take(of("c", 1), never);
		release();
		(await next)();
		await expect(slots.take(of("a", 1), AbortSignal.abort())).rejects.toThrow("in time");
	});

	test("who is urgent is next, whoever waited before", async () => {
		const slots = createSlots({ placesMax: 1, waitingMax: 9 });
		const order: string[] = [];
		const first = await slots.take(of("a", 1), never);
		const waits = ["ordinary", "urgent"].map(async (name) => {
			const release = await slots.take(of("a", 1), never, { isFirst: name === "urgent" });
			order.push(name);
			release();
		});
		first();
		await Promise.all(waits);
		expect(order).toEqual(["urgent", "ordinary"]);
	});

	test("no limit on places is exceeded and every waiter gets one, in any order of taking and returning", async () => {
		const steps = fc.array(fc.constantFrom("a", "b", "c", "release"), { maxLength: 60 });
		await fc.assert(
			fc.asyncProperty(steps, async (keys) => {
				const slots = createSlots({ placesMax: 4, waitingMax: 100 });
				const held: { key: string; release: () => void }[] = [];
				let asked = 0;
				let admitted = 0;
				for (const key of keys) {
					if (key === "release") held.shift()?.release();
					else {
						asked++;
						slots.take(of(key, 2), never).then((release) => {
							admitted++;
							held.push({ key, release });
						});
					}
					await Promise.resolve();
					expect(held.length).toBeLessThanOrEqual(4);
					for (const name of ["a", "b", "c"]) {
						expect(held.filter((one) => one.key === name).length).toBeLessThanOrEqual(2);
					}
				}
				for (let turn = 0; turn < 200 && admitted < asked; turn++) {
					held.shift()?.release();
					await Promise.resolve();
				}
				expect(admitted).toBe(asked);
			}),
		);
	});
});

describe("openForeignFetch", () => {
	test("[SEC-05] in the sandbox, or when switched off, no public host is reached", async () => {
		for (const config of [
			{ SANDBOX: true, FOREIGN_FETCH_ENABLED: true },
			{ SANDBOX: false, FOREIGN_FETCH_ENABLED: false },
		]) {
			const asked = openForeignFetch(config)({
				url: "http://a.test/",
				bytesMax: 1,
				timeoutMs: 5_000,
			});
			await expect(asked).rejects.toThrow("switched off");
		}
	});
});
