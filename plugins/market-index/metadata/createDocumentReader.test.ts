import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { systemClock } from "#core/clock.ts";
import { defineFaults } from "#core/fault.ts";
import { foreignFault } from "#core/foreign/addresses.ts";
import { createForeignFetch, type ForeignRequest } from "#core/foreign/createForeignFetch.ts";
import { type Canary, startCanary, startRawServer } from "#core/foreign/testing/canary.ts";
import {
	createDocumentReader,
	createHostPace,
	gatewaysOf,
} from "#plugins/market-index/metadata/createDocumentReader.ts";
import {
	HOST_GAP_FIRST_MS,
	HOST_PAUSE_FIRST_MS,
	HOST_WAIT_MAX_MS,
} from "#plugins/market-index/metadata/tokenUri.ts";
import { documentConfig } from "#plugins/market-index/plugin.ts";

describe("createDocumentReader.foreign", () => {
	const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
	const TX = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";
	let canary: Canary;
	/** The operator's gateway: it knows one document, and leads whoever asks for another inward. */
	let gateway: Awaited<ReturnType<typeof startRawServer>>;
	const asked: string[] = [];
	beforeAll(async () => {
		canary = await startCanary();
		gateway = await startRawServer((socket, head) => {
			const path = head.split(" ")[1] ?? "";
			asked.push(path);
			const isHeld = path === `/ipfs/${CID}/1`;
			const inward = `HTTP/1.1 302 Found\r\nLocation: http://localhost:${canary.port}/\r\n\r\n`;
			socket.end(isHeld ? 'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"name":"Cat"}' : inward);
		});
	});
	afterAll(() => {
		canary.close();
		gateway.close();
	});

	function read(uri: string) {
		const readDocument = createDocumentReader({
			clock: systemClock,
			// The canary's port is open, and every name leads to it: only the guard protects it.
			foreignFetch: createForeignFetch({
				ports: [80, 443, canary.port],
				resolve: async () => ["127.0.0.1"],
			}),
			gateways: { ipfs: [gateway.origin], arweave: gateway.origin },
			allowedOrigins: [],
		});
		return readDocument(uri, { signal: new AbortController().signal });
	}

	test("[SEC-05] no URI of a contract leads to this machine, in any scheme or form", async () => {
		const here = `127.0.0.1:${canary.port}`;
		const uris = [
			...[`http://${here}/`, `https://${here}/`, `HTTP://${here}/1.json`, ` http://${here}/ `],
			...[`http://localhost:${canary.port}/`, `http://meta.example:${canary.port}/{id}`],
			...[`//${here}/`, `http:${here}/`, `http:\\\\${here}\\`, `http:/${here}/`, `http ://${here}`],
			...["unix:/run/x.sock", "http+unix://%2Frun%2Fx.sock/", `blob:http://${here}/`],
			...[`s3://${here}/x`, `ftp://${here}/`, `gopher://${here}/`, `ws://${here}/`, "file:///etc"],
			...[`ipfs://${CID}@${here}/`, `ipfs://${CID}/../../..//${here}/`, `ipfs:////${here}/${CID}`],
			...[
				`ipns://${here}/`,
				`ar://${TX}@${here}/`,
				`ar:////${here}/${TX}`,
				`ipfs://${here}/${CID}`,
			],
			...[`http://${CID}.ipfs.${here}/`, `\u0000http://${here}/`, `view-source:http://${here}/`],
			// Read from our gateway, and then where the contract says.
			...[`http://${here}/ipfs/${CID}`, `http://x:y@${here}/ipfs/${CID}`],
			// What the gateway does not have, and where it leads instead.
			...[`ipfs://${CID}/2`, `ipns://docs.example/1`, `ar://${TX}`],
		];
		for (const uri of uris) expect(await read(uri), uri).toMatchObject({ kind: "failed" });
		expect(canary.connections).toBe(0);
		expect(asked).toContain(`/${TX}`);
		expect(await read(`ipfs://${CID}/1`)).toMatchObject({ kind: "read", name: "Cat" });
	});

	test("[SEC-05] a contract's URI may not name the operator's gateway", async () => {
		asked.length = 0;
		for (const path of ["/api/v0/id", "/ipfs/x", "//"]) {
			expect(await read(gateway.origin + path)).toMatchObject({ code: "foreign_refused" });
		}
		expect(asked).toEqual([]);
	});

	test("URLs inside a document are not fetched", async () => {
		const url = `http://127.0.0.1:${canary.port}/1.png`;
		const document = JSON.stringify({
			name: "Cat",
			image: url,
			animation_url: url,
			external_url: url,
		});
		const outcome = await read(`data:application/json,${document}`);
		expect(outcome).toMatchObject({ kind: "read", imageUrl: null, animationUrl: null });
		expect(canary.connections).toBe(0);
	});
});

describe("createDocumentReader", () => {
	const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
	const A = "http://10.0.0.7:8080";
	const B = "https://b.test";
	const never = new AbortController().signal;

	/** Servers by the beginning of a URL; what is not there does not answer. */
	function lab(servers: Record<string, string | number | Error>) {
		const asked: ForeignRequest[] = [];
		const read = createDocumentReader({
			clock: systemClock,
			gateways: { ipfs: [A, B], arweave: "https://ar.test" },
			allowedOrigins: ["http://10.0.0.9"],
			async foreignFetch(request) {
				asked.push(request);
				const [, said] = Object.entries(servers).find(([url]) => request.url.startsWith(url)) ?? [];
				if (said === undefined) throw foreignFault.unreachable();
				if (said instanceof Error) throw said;
				const status = typeof said === "number" ? said : 200;
				return { status, contentType: null, body: Buffer.from(String(said)) };
			},
		});
		return { asked, read: (uri: string) => read(uri, { signal: never }), servers };
	}

	test("a document is read from the URI, from a server, or from the first gateway that has it", async () => {
		const json = '{"name":"Cat"}';
		const { read, asked } = lab({ [B]: json, "https://a.test/": json, "https://ar.test/": json });
		const id = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";
		for (const uri of [`ipfs://${CID}`, "https://a.test/1", `data:,${json}`, json, `ar://${id}`]) {
			expect(await read(uri)).toMatchObject({ kind: "read", name: "Cat" });
		}
		expect(asked.map(({ url }) => url)).toEqual([
			`${A}/ipfs/${CID}`,
			`${B}/ipfs/${CID}`,
			"https://a.test/1",
			`https://ar.test/${id}`,
		]);
	});

	test("[SEC-05] a private gateway is allowed for our own URLs, and never for a contract's URL", async () => {
		const { read, asked } = lab({});
		await read(`https://c.test/ipfs/${CID}`);
		await read(`${A}/api/v0/id`);
		expect(asked.map(({ allowedOrigins }) => allowedOrigins)).toEqual([
			[A],
			[B],
			["http://10.0.0.9"],
			["http://10.0.0.9"],
		]);
		for (const { bytesMax, timeoutMs } of asked) {
			expect(bytesMax).toBeLessThanOrEqual(1_000_000);
			expect(timeoutMs).toBeLessThanOrEqual(10_000);
		}
	});

	test("a gateway that is down is waited for once, and tried last until another one is down", async () => {
		const { read, asked, servers } = lab({ [B]: "{}" });
		for (let index = 0; index < 3; index++) await read(`ipfs://${CID}/${index}`);
		const hosts = () => asked.splice(0).map(({ url }) => new URL(url).origin);
		expect(hosts()).toEqual([A, B, B, B]);
		delete servers[B];
		servers[A] = "{}";
		for (let index = 0; index < 2; index++) await read(`ipfs://${CID}/${index}`);
		expect(hosts()).toEqual([B, A, A]);
	});

	test("a failure says whether a retry may help", async () => {
		const failure = async (servers: Record<string, string | number | Error>, uri: string) => {
			const outcome = await lab(servers).read(uri);
			return outcome.kind === "failed" ? [outcome.code, outcome.isUnreachable] : outcome;
		};
		const at = (said: string | number | Error) =>
			failure({ "https://a.test/": said }, "https://a.test/1");
		expect(await at(404)).toEqual(["http_404", false]);
		expect(await at(429)).toEqual(["http_429", true]);
		expect(await at(503)).toEqual(["http_503", true]);
		expect(await at("<html>")).toEqual(["not_a_document", false]);
		expect(await at(foreignFault.refused())).toEqual(["foreign_refused", false]);
		expect(await at(foreignFault.tooLarge())).toEqual(["foreign_too_large", false]);
		expect(await failure({}, "https://a.test/1")).toEqual(["foreign_unreachable", true]);
		expect(await failure({}, "ftp://a.test/")).toEqual(["uri_unusable", false]);
		// One gateway that does not answer may have what the other one lacks.
		expect(await failure({ [B]: 404 }, `ipfs://${CID}`)).toEqual(["foreign_unreachable", true]);
		expect(await failure({ [A]: 410, [B]: 404 }, `ipfs://${CID}`)).toEqual(["http_404", false]);
	});

	test("a store of objects that denies everybody is told apart from a server that refuses us", async () => {
		const code = async (body: string, status = 403, uri = "https://a.test/1") => {
			const read = createDocumentReader({
				...{ clock: systemClock, gateways: { ipfs: [A], arweave: A }, allowedOrigins: [] },
				foreignFetch: async () => ({ status, contentType: null, body: Buffer.from(body) }),
			});
			const outcome = await read(uri, { signal: never });
			return outcome.kind === "failed" ? [outcome.code, outcome.isUnreachable] : outcome;
		};
		const denied = "<Code>AccessDenied</Code><Message>Access Denied</Message>";
		const s3 = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${denied}<RequestId>1</RequestId></Error>`;
		expect(await code(s3)).toEqual(["document_withheld", false]);
		expect(await code(`<Error>${denied}</Error>`)).toEqual(["document_withheld", false]);
		for (const other of ["", "<html>AccessDenied</html>", `<html><Error>${denied}`, '{"a":1}']) {
			expect(await code(other)).toEqual(["http_403", false]);
		}
		expect(await code(s3, 403, `ipfs://${CID}`)).toEqual(["http_403", false]);
		expect(await code(s3, 503)).toEqual(["http_503", true]);
		expect(await code(s3, 429)).toEqual(["http_429", true]);
	});

	test("our own error does not count as the server's", async () => {
		const ours = new TypeError("ours");
		await expect(lab({ "https://a.test/": ours }).read("https://a.test/1")).rejects.toBe(ours);
		const fault = defineFaults({ x: { status: 500, retry: "later", public: "x" } }).x();
		expect(await lab({ "https://a.test/": fault }).read("https://a.test/1")).toMatchObject({
			code: "x",
		});
	});

	test("a server that limits our rate is asked once more after its wait, then not for a while", async () => {
		const asked: string[] = [];
		let retryAfterMs = 1;
		const read = createDocumentReader({
			clock: systemClock,
			gateways: { ipfs: [A], arweave: "https://ar.test" },
			allowedOrigins: [],
			async foreignFetch({ url }) {
				asked.push(url);
				const status = asked.length === 2 ? 200 : 429;
				return { status, contentType: null, body: Buffer.from('{"name":"Cat"}'), retryAfterMs };
			},
		});
		const get = (uri: string) => read(uri, { signal: never });
		expect(await get("https://a.test/1")).toMatchObject({ kind: "read", name: "Cat" });
		expect(asked).toHaveLength(2);
		retryAfterMs = 60_000;
		// Nobody waits for a minute: not for this document, and no other one is asked for meanwhile.
		const limited = { code: "host_limited", isUnreachable: true };
		expect(await get("https://a.test/2")).toMatchObject(limited);
		expect(await get("https://a.test/3")).toMatchObject(limited);
		expect(asked).toHaveLength(3);
		expect(await get("https://b.test/1")).toMatchObject({ code: "host_limited" });
		expect(asked).toHaveLength(4);
	});
});

describe("createHostPace", () => {
	const never = new AbortController().signal;

	function lab() {
		const state = { nowMs: 1_000, slept: [] as number[] };
		const pace = createHostPace({
			clock: { nowMs: () => state.nowMs },
			async sleep(ms) {
				state.slept.push(ms);
			},
		});
		return { state, pace, enter: (host = "a.test") => pace.enter(host, never) };
	}

	test("a host without a rate limit is not slowed down", async () => {
		const { enter, state } = lab();
		for (let call = 0; call < 100; call++) expect(await enter()).toBe(true);
		expect(state.slept).toEqual([]);
	});

	test("a host that names its wait is not called for that time, and other hosts are", async () => {
		const { enter, pace, state } = lab();
		pace.limited("a.test", 3_000);
		expect(await enter("b.test")).toBe(true);
		expect(await enter()).toBe(true);
		expect(await enter()).toBe(true);
		expect(state.slept).toEqual([3_000, 3_000 + HOST_GAP_FIRST_MS]);
	});

	test("a caller that would wait too long for a host is refused at once, and the host is not called", async () => {
		const { enter, pace, state } = lab();
		pace.limited("a.test", HOST_WAIT_MAX_MS + 1);
		expect(await enter()).toBe(false);
		expect(state.slept).toEqual([]);
		state.nowMs += HOST_WAIT_MAX_MS + 1;
		expect(await enter()).toBe(true);
	});

	test("each rate limit lengthens the pause between calls, and simultaneous ones count once", async () => {
		const { enter, pace, state } = lab();
		for (let call = 0; call < 16; call++) pace.limited("a.test", null);
		state.nowMs += HOST_PAUSE_FIRST_MS;
		pace.limited("a.test", null);
		state.nowMs += HOST_PAUSE_FIRST_MS;
		await enter();
		await enter();
		expect(state.slept).toEqual([HOST_GAP_FIRST_MS * 2]);
	});

	test("served documents shorten the pause again, until there is none", async () => {
		const { enter, pace, state } = lab();
		pace.limited("a.test", 0);
		for (let call = 0; call < 100; call++) pace.served("a.test");
		state.nowMs += 10_000;
		for (let call = 0; call < 10; call++) await enter();
		expect(state.slept).toEqual([]);
	});
});

describe("documentConfig", () => {
	const schema = z.object(documentConfig);

	test("gateways are read with or without a slash or /ipfs at their end", () => {
		const config = schema.parse({
			IPFS_GATEWAY_URLS: "http://10.0.0.7:8080/, https://a.test/ipfs/,https://b.test/x",
			ARWEAVE_GATEWAY_URL: "https://ar.test/",
		});
		expect(gatewaysOf(config)).toEqual({
			ipfs: ["http://10.0.0.7:8080", "https://a.test", "https://b.test/x"],
			arweave: "https://ar.test",
		});
		expect(gatewaysOf(schema.parse({})).ipfs).toEqual(["https://ipfs.io", "https://dweb.link"]);
	});

	test("gateways and origins in another format are refused", () => {
		const wrong = [
			"ftp://a.test",
			"a.test",
			"https://u:p@a.test",
			"https://a.test/?x",
			"https://a.test/#x",
		];
		for (const url of wrong) {
			expect(schema.safeParse({ ARWEAVE_GATEWAY_URL: url }).success, url).toBe(false);
			expect(schema.safeParse({ IPFS_GATEWAY_URLS: url }).success, url).toBe(false);
		}
		const nine = Array.from({ length: 9 }, (_, index) => `https://${index}.test`).join();
		expect(schema.safeParse({ IPFS_GATEWAY_URLS: nine }).success).toBe(false);
		expect(schema.safeParse({ METADATA_ALLOWED_ORIGINS: "http://10.0.0.7/x" }).success).toBe(false);
	});
});
