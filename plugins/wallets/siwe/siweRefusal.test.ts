import { expect, test } from "bun:test";
import type { SiweMessage } from "#plugins/wallets/siwe/parseSiweMessage.ts";
import { siweRefusal } from "#plugins/wallets/siwe/siweRefusal.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const at = (offsetSeconds: number) => new Date(NOW_MS + offsetSeconds * 1_000).toISOString();

function codeOf(changes: Partial<SiweMessage>, origins = ["https://app.example"]): string | null {
	const message: SiweMessage = {
		scheme: null,
		domain: "app.example",
		address: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
		statement: null,
		uri: "https://app.example/login?a=b#c",
		version: "1",
		chainId: 4663,
		nonce: "abcdefgh",
		issuedAt: at(0),
		expirationTime: null,
		notBefore: null,
		requestId: null,
		resources: null,
		...changes,
	};
	return siweRefusal(message, { origins, chainIds: [4663], nowMs: NOW_MS })?.code ?? null;
}

test("[TRD-10] a message for this page, this chain and this moment is accepted", () => {
	expect(codeOf({})).toBeNull();
	expect(codeOf({ scheme: "https" })).toBeNull();
	expect(codeOf({ uri: "https://app.example" })).toBeNull();
	const local = ["http://localhost:4000"];
	expect(codeOf({ domain: "localhost:4000", uri: "http://localhost:4000/" }, local)).toBeNull();
});

test("[TRD-10] a message for any other domain is refused, however similar", () => {
	const domains = [
		"evil.example",
		"app.example.evil.example",
		"evilapp.example",
		"App.Example",
		"app.example.",
		"app.example:443",
		"app.example:8443",
		"app.example@evil.example",
		"user@app.example",
		"app%2eexample",
		"example",
	];
	for (const domain of domains) {
		expect({ domain, code: codeOf({ domain }) }).toEqual({ domain, code: "siwe_domain" });
	}
	expect(codeOf({ scheme: "http" })).toBe("siwe_domain");
	expect(codeOf({ scheme: "HTTPS" })).toBe("siwe_domain");
	expect(codeOf({}, [])).toBe("siwe_domain");
});

test("[TRD-10] a URI on another origin than the domain's is refused", () => {
	const uris = [
		"https://evil.example/login",
		"http://app.example/login",
		"https://app.example:8443/",
		"https://app.example@evil.example/",
		"https://user@app.example/",
		"https://user:word@app.example/",
		"https://other.example/",
		"ipfs://app.example",
		"app:example",
		"urn:app.example",
	];
	const both = ["https://app.example", "https://other.example"];
	for (const uri of uris) {
		expect({ uri, code: codeOf({ uri }, both) }).toEqual({ uri, code: "siwe_uri" });
	}
});

test("[TRD-14] a message of any other chain than the home chain is refused", () => {
	for (const chainId of [0, 1, 8453, 46_630, 466, Number.MAX_SAFE_INTEGER]) {
		expect({ chainId, code: codeOf({ chainId }) }).toEqual({ chainId, code: "siwe_chain" });
	}
});

test("[TRD-10] a message is valid from a minute before its issue time until its expiry", () => {
	expect(codeOf({ issuedAt: at(60) })).toBeNull();
	expect(codeOf({ issuedAt: at(61) })).toBe("siwe_not_yet_valid");
	expect(codeOf({ issuedAt: at(-660) })).toBeNull();
	expect(codeOf({ issuedAt: at(-661) })).toBe("siwe_expired");
	expect(codeOf({ expirationTime: at(1) })).toBeNull();
	expect(codeOf({ expirationTime: at(0) })).toBe("siwe_expired");
	expect(codeOf({ expirationTime: at(-3_600) })).toBe("siwe_expired");
	expect(codeOf({ notBefore: at(60) })).toBeNull();
	expect(codeOf({ notBefore: at(61) })).toBe("siwe_not_yet_valid");
	expect(codeOf({ expirationTime: at(7 * 86_400) })).toBeNull();
	expect(codeOf({ expirationTime: at(7 * 86_400 + 1) })).toBe("siwe_lifetime");
});

test("an unreadable time signs nobody in", () => {
	expect(codeOf({ issuedAt: "soon" })).not.toBeNull();
	expect(codeOf({ expirationTime: "never" })).not.toBeNull();
	expect(codeOf({ notBefore: "now" })).not.toBeNull();
});
