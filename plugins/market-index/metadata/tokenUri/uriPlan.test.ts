import { expect, test } from "bun:test";
import fc from "fast-check";
import { uriPlan } from "#plugins/market-index/metadata/tokenUri/uriPlan.ts";

const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
const ID = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";
const gateways = { ipfs: ["http://10.0.0.7:8080", "https://b.test/x"], arweave: "https://ar.test" };
const urlsOf = (uri: string) => {
	const plan = uriPlan(uri, gateways);
	return plan.kind === "fetched" ? plan.candidates.map(({ url }) => url) : plan.kind;
};

test("content is looked for at each gateway in order, and then where the URI says", () => {
	const ours = [`http://10.0.0.7:8080/ipfs/${CID}/1`, `https://b.test/x/ipfs/${CID}/1`];
	expect(urlsOf(`ipfs://${CID}/1`)).toEqual(ours);
	expect(urlsOf(`https://c.test/ipfs/${CID}/1`)).toEqual([...ours, `https://c.test/ipfs/${CID}/1`]);
	expect(urlsOf(`ar://${ID}/1`)).toEqual([`https://ar.test/${ID}/1`]);
	expect(urlsOf(" https://a.test/Cat 1.json\n")).toEqual(["https://a.test/Cat%201.json"]);
	expect(urlsOf(CID)).toEqual(expect.arrayContaining([`https://b.test/x/ipfs/${CID}`]));
});

test("[SEC-05] only URLs that we made are the gateway's; one that a stranger wrote never is", () => {
	const plan = uriPlan("http://10.0.0.7:8080/api/v0/id", gateways);
	const url = "http://10.0.0.7:8080/api/v0/id";
	expect(plan).toEqual({ kind: "fetched", candidates: [{ url, gateway: null }] });
});

test("a document within the URI is held, and nothing else is usable", () => {
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

test("[SEC-05] whatever a contract says, a gateway's URL stays on that gateway", () => {
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
