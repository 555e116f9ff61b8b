import { expect, test } from "bun:test";
import fc from "fast-check";
import { ipfsPathOf } from "#plugins/market-index/metadata/tokenUri/ipfsPathOf.ts";

const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
const V1 = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

test("IPFS content is found in every way of writing it", () => {
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

test("what is no content address, or climbs out of it, is none", () => {
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

test("[SEC-05] whatever follows the scheme, a path stays below its content on the same host", () => {
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
