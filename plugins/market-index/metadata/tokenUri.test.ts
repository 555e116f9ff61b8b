import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	arweavePathOf,
	dataUriTexts,
	displayUrl,
	ipfsPathOf,
	uriPlan,
} from "#plugins/market-index/metadata/tokenUri.ts";

describe("arweavePathOf", () => {
	const ID = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";

	test("Arweave content is found by its transaction", () => {
		expect(arweavePathOf(`ar://${ID}`)).toBe(`/${ID}`);
		expect(arweavePathOf(`ar://${ID}/1.json`)).toBe(`/${ID}/1.json`);
		expect(arweavePathOf(`https://arweave.net/${ID}/1?ext=png`)).toBe(`/${ID}/1?ext=png`);
	});

	test("Arweave paths without a transaction, or that climb out of one, are refused", () => {
		const climbing = [`ar://${ID}/../x`, `ar://${ID}/%2e%2e/x`, `ar://${ID}x`];
		for (const uri of [...climbing, "ar://", "ar://short", `https://a.test/${ID}`, ID]) {
			expect(arweavePathOf(uri), uri).toBeNull();
		}
	});
});

describe("dataUriTexts", () => {
	const json = '{"name":"Cäts & Dogs"}';
	const base64 = Buffer.from(json).toString("base64");

	test("the text of a data URI is read in any encoding", () => {
		for (const uri of [
			`data:application/json;base64,${base64}`,
			`data:application/json;charset=utf-8;base64,${base64}`,
			`DATA:Application/JSON;Charset=UTF-8;BASE64,${base64}`,
			`data:application/json;base64,${base64.replaceAll("+", "-").replaceAll("/", "_")}`,
			`data:application/json;base64,${encodeURIComponent(base64)}`,
			`data:application/json;charset=nonsense;base64,${base64}`,
			`data:;base64,${base64}`,
			`data:application/json,${encodeURIComponent(json)}`,
			`data:application/json;utf8,${encodeURIComponent(json)}`,
			`data:text/plain;charset=UTF-8,${json}`,
			`data:,${json}`,
		]) {
			expect(dataUriTexts(uri)?.[0], uri).toBe(json);
		}
		const latin = Buffer.from(json, "latin1").toString("base64");
		expect(dataUriTexts(`data:application/json;charset=iso-8859-1;base64,${latin}`)).toEqual([
			json,
		]);
	});

	test("percent signs that encode nothing are kept", () => {
		expect(dataUriTexts('data:application/json,{"name":"100% cats"}')).toEqual([
			'{"name":"100% cats"}',
		]);
		const quoted = 'data:application/json;utf8,{"image":"a%22b"}';
		expect(dataUriTexts(quoted)).toEqual(['{"image":"a"b"}', '{"image":"a%22b"}']);
	});

	test("images, pages and texts that are no data URI contain no document", () => {
		for (const uri of [
			"data:image/png;base64,AAAA",
			"data:text/html,<b>",
			"data:",
			"https://a.test/",
		]) {
			expect(dataUriTexts(uri), uri).toBeNull();
		}
	});

	test("any text is the same after encoding and reading, in each encoding", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), (text) => {
				const inBase64 = Buffer.from(text).toString("base64");
				const read = (uri: string) => dataUriTexts(uri)?.[0];
				expect(read(`data:application/json;base64,${inBase64}`)).toBe(text.replace(/^\ufeff/, ""));
				expect(read(`data:application/json,${encodeURIComponent(text)}`)).toBe(text);
			}),
		);
	});

	test("[SEC-05] the part of a data URI before its comma is read only up to a bound", () => {
		const head = (length: number) => `data:application/json;${"x".repeat(length)},{}`;
		expect(dataUriTexts(head(400))).toEqual(["{}"]);
		for (const flood of [head(600), `data:${";".repeat(2_900_000)},{}`]) {
			expect(dataUriTexts(flood)).toBeNull();
		}
	});
});

describe("displayUrl", () => {
	const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
	const gateways = { ipfs: ["http://10.0.0.7:8080", "https://b.test"], arweave: "https://ar.test" };
	const shown = (url: string) => displayUrl(url, gateways);

	test("content is shown through the first gateway that browsers can reach", () => {
		expect(shown(`ipfs://${CID}/1.png`)).toBe(`https://b.test/ipfs/${CID}/1.png`);
		expect(shown(`http://c.test/ipfs/${CID}`)).toBe(`https://b.test/ipfs/${CID}`);
		const local = { ...gateways, ipfs: ["http://127.0.0.1:1"] };
		expect(displayUrl(`ipfs://${CID}`, local)).toBe(`http://127.0.0.1:1/ipfs/${CID}`);
		expect(displayUrl(`ipfs://${CID}`, { ...gateways, ipfs: [] })).toBeNull();
		const id = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";
		expect(shown(`ar://${id}`)).toBe(`https://ar.test/${id}`);
	});

	test("only a URL that a page may show is kept: no script, document or plain http", () => {
		for (const url of [
			"https://a.test/1.png",
			"data:image/svg+xml;base64,PHN2Zz4=",
			"data:video/mp4,x",
		]) {
			expect(shown(url)).toBe(url);
		}
		const refused = [
			"javascript:alert(1)",
			"data:text/html,<b>",
			"http://a.test/",
			"//a.test/",
			"",
		];
		for (const url of [...refused, "file:///x", "ipfs://cat", "https://a.test/\u0000", "blob:x"]) {
			expect(shown(url), url).toBeNull();
		}
		for (const url of hostileUrls) expect(shown(url), url).toBeNull();
		expect(shown("https://me:secret@a.test/1.png")).toBe("https://a.test/1.png");
		const long = (length: number) => "https://a.test/".padEnd(length, "x");
		expect(shown(long(IMAGE_LENGTH_MAX))).toBe(long(IMAGE_LENGTH_MAX));
		expect(shown(long(IMAGE_LENGTH_MAX + 1))).toBeNull();
	});

	test("a character that would end an attribute is encoded, also in a drawing of several lines", () => {
		expect(shown(`https://a.test/"onload='x' <b>`)).toBe(
			"https://a.test/%22onload=%27x%27%20%3Cb%3E",
		);
		expect(shown('data:image/svg+xml;utf8,<svg>\n"</svg>')).toBe(
			"data:image/svg+xml;utf8,%3Csvg%3E%0A%22%3C/svg%3E",
		);
	});

	test("a display URL is null, or a harmless text of a known scheme", () => {
		const scheme = fc.constantFrom(
			"https://",
			"data:image/png,",
			"javascript:",
			`ipfs://${CID}/`,
			"",
		);
		fc.assert(
			fc.property(scheme, fc.string({ unit: "binary", maxLength: 40 }), (start, rest) => {
				const url = shown(start + rest);
				if (url === null) return;
				expect(url).toMatch(/^(https:\/\/|data:(image|video|audio)\/)/i);
				expect(url).not.toMatch(/[\p{Cc}\s"'<>`\\]/u);
				expect(url.isWellFormed()).toBe(true);
			}),
			{ numRuns: 500 },
		);
	});
});

describe("ipfsPathOf", () => {
	const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
	const V1 = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

	test("IPFS content is recognised in every notation", () => {
		for (const root of [
			"ipfs://",
			"ipfs://ipfs/",
			"IPFS://",
			"ipfs:/",
			"ipfs:///ipfs/",
			"",
			"/ipfs/",
			"ipfs/",
			"https://ipfs.io/ipfs/",
			"https://gateway.pinata.cloud/ipfs/",
			"http://127.0.0.1:8080/ipfs/",
		]) {
			for (const cid of [CID, V1]) {
				expect(ipfsPathOf(`${root}${cid}/1.json`), root).toBe(`/ipfs/${cid}/1.json`);
				expect(ipfsPathOf(root + cid), root).toBe(`/ipfs/${cid}`);
			}
		}
		expect(ipfsPathOf(`https://${V1}.ipfs.dweb.link/a/1?x=2`)).toBe(`/ipfs/${V1}/a/1?x=2`);
		expect(ipfsPathOf("ipns://tokens.example.eth/7")).toBe("/ipns/tokens.example.eth/7");
		expect(ipfsPathOf(`ipfs://${CID}/Cat #1.json`)).toBe(`/ipfs/${CID}/Cat%20%231.json`);
		expect(ipfsPathOf(`ipfs://${CID}/%231.json`)).toBe(`/ipfs/${CID}/%231.json`);
	});

	test("IPFS paths without a content address, or that climb out of one, are refused", () => {
		const others = [
			"",
			"ipfs://",
			"ipfs://cat/1.json",
			"ipfs://../api/v0/id",
			`ipfs://${CID}/../../api/v0/id`,
			`ipfs://${CID}/%2e%2e/%2E%2E/api/v0/id`,
			`ipfs://${CID}/..\\..\\api`,
			`ipfs://${CID}@evil.example/`,
			`ipfs://${CID}.evil.example/`,
			"https://example.com/1.json",
			"https://example.com/ipfs/1.json",
			`https://${CID}.example.com/`,
			"ar://abc",
			"data:,x",
		];
		for (const uri of others) expect(ipfsPathOf(uri), uri).toBeNull();
	});

	test("[SEC-05] an IPFS path stays below its content on the same host", () => {
		const piece = fc.constantFrom(
			"..",
			".",
			"%2e%2e",
			"/",
			"//",
			"\\",
			"@",
			":",
			"?",
			"#",
			"a",
			"\n",
		);
		fc.assert(
			fc.property(
				fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 8 }),
				(parts) => {
					const path = ipfsPathOf(`ipfs://${CID}${parts.join("")}`);
					if (path === null) return;
					const url = new URL(`http://gateway.test:8080${path}`);
					expect(url.origin).toBe("http://gateway.test:8080");
					expect(url.pathname === `/ipfs/${CID}` || url.pathname.startsWith(`/ipfs/${CID}/`)).toBe(
						true,
					);
				},
			),
			{ numRuns: 2_000 },
		);
	});
});

describe("uriPlan", () => {
	const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
	const ID = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";
	const gateways = {
		ipfs: ["http://10.0.0.7:8080", "https://b.test/x"],
		arweave: "https://ar.test",
	};
	const urlsOf = (uri: string) => {
		const plan = uriPlan(uri, gateways);
		return plan.kind === "fetched" ? plan.candidates.map(({ url }) => url) : plan.kind;
	};

	test("content is requested from each gateway in order, and then from the URI itself", () => {
		const ours = [`http://10.0.0.7:8080/ipfs/${CID}/1`, `https://b.test/x/ipfs/${CID}/1`];
		expect(urlsOf(`ipfs://${CID}/1`)).toEqual(ours);
		expect(urlsOf(`https://c.test/ipfs/${CID}/1`)).toEqual([
			...ours,
			`https://c.test/ipfs/${CID}/1`,
		]);
		expect(urlsOf(`ar://${ID}/1`)).toEqual([`https://ar.test/${ID}/1`]);
		expect(urlsOf(" https://a.test/Cat 1.json\n")).toEqual(["https://a.test/Cat%201.json"]);
		expect(urlsOf(CID)).toEqual(expect.arrayContaining([`https://b.test/x/ipfs/${CID}`]));
	});

	test("a URI in quotation marks is read as the URI within them", () => {
		const url = "https://a.test/1.json";
		for (const uri of [
			`"${url}"`,
			` '${url}' `,
			`\\"${url}\\"`,
			`“${url}”`,
			`"'${url}'"`,
			`%22${url}%22`,
		]) {
			expect(urlsOf(uri), uri).toEqual([url]);
			expect(displayUrl(uri, gateways), uri).toBe(url);
		}
		expect(urlsOf(`"ipfs://${CID}"`)).toEqual(urlsOf(`ipfs://${CID}`));
		expect(urlsOf('"data:application/json,{}"')).toBe("held");
		// A document that is a quoted text is no URI, and marks at one end alone are part of it.
		for (const uri of ['""', '"', '"1.json"', `"javascript:1"`, `"${url}`]) {
			expect(urlsOf(uri), uri).toBe("unusable");
		}
	});

	test("[SEC-05] only URLs that we made count as the gateway's, never a contract's", () => {
		const plan = uriPlan("http://10.0.0.7:8080/api/v0/id", gateways);
		const url = "http://10.0.0.7:8080/api/v0/id";
		expect(plan).toEqual({ kind: "fetched", candidates: [{ url, gateway: null }] });
	});

	test("a document inside the URI is used without a request, and any other URI gives no request", () => {
		expect(uriPlan('data:application/json,{"a":1}', gateways)).toMatchObject({ kind: "held" });
		expect(uriPlan(' {"a":1}', gateways)).toEqual({ kind: "held", texts: ['{"a":1}'] });
		const others = [
			"",
			"file:///etc/passwd",
			"s3://a/b",
			"javascript:1",
			"1.json",
			"data:image/png,x",
		];
		for (const uri of [
			...others,
			`https://a.test/${"x".repeat(3_000)}`,
			`data:,${"x".repeat(3e6)}`,
		]) {
			expect(uriPlan(uri, gateways).kind, uri.slice(0, 40)).toBe("unusable");
		}
	});

	test("[SEC-05] a gateway's URL stays on that gateway, whatever the contract's URI contains", () => {
		const start = fc.constantFrom(
			"ipfs://",
			`ipfs://${CID}`,
			`ipfs://${CID}/`,
			"ar://",
			`ar://${ID}/`,
			"",
		);
		fc.assert(
			fc.property(start, fc.string({ unit: "binary", maxLength: 60 }), (scheme, rest) => {
				const plan = uriPlan(scheme + rest, gateways);
				if (plan.kind !== "fetched") return;
				for (const { url, gateway } of plan.candidates) {
					if (gateway === null) continue;
					expect(new URL(url).origin).toBe(new URL(gateway).origin);
					expect(new URL(url).pathname).toStartWith(new URL(gateway).pathname.replace(/\/$/, ""));
				}
			}),
			{ numRuns: 500 },
		);
	});
});
