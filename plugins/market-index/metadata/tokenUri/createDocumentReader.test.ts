import { expect, test } from "bun:test";
import { systemClock } from "#core/clock/systemClock.ts";
import { defineFaults } from "#core/fault/defineFaults.ts";
import type { ForeignRequest } from "#core/foreign/ForeignFetch.ts";
import { foreignFault } from "#core/foreign/faults.ts";
import { createDocumentReader } from "#plugins/market-index/metadata/tokenUri/createDocumentReader.ts";

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

test("a document is read from the URI, a server, or the first gateway that has it", async () => {
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

test("[SEC-05] a private gateway is allowed for what we ask of it, and for nothing a stranger wrote", async () => {
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

test("a gateway that is down costs its time once, and comes last until another one is", async () => {
	const { read, asked, servers } = lab({ [B]: "{}" });
	for (let index = 0; index < 3; index++) await read(`ipfs://${CID}/${index}`);
	const hosts = () => asked.splice(0).map(({ url }) => new URL(url).origin);
	expect(hosts()).toEqual([A, B, B, B]);
	delete servers[B];
	servers[A] = "{}";
	for (let index = 0; index < 2; index++) await read(`ipfs://${CID}/${index}`);
	expect(hosts()).toEqual([B, A, A]);
});

test("a failure says whether asking again may help", async () => {
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

test("a mistake of ours is not taken for the stranger's", async () => {
	const ours = new TypeError("ours");
	await expect(lab({ "https://a.test/": ours }).read("https://a.test/1")).rejects.toBe(ours);
	const fault = defineFaults({ x: { status: 500, retry: "later", public: "x" } }).x();
	expect(await lab({ "https://a.test/": fault }).read("https://a.test/1")).toMatchObject({
		code: "x",
	});
});

test("a server that says we ask too often is asked once more at its time, then left alone", async () => {
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
