import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { createNonce, homeChain, signInOrigins } from "#plugins/wallets/siwe/createSiwe.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

describe("createNonce", () => {
	test("[TRD-10] a nonce is 24 letters and digits, and none is repeated", () => {
		const made = Array.from({ length: 2_000 }, () => createNonce(randomBytes));
		for (const nonce of made) expect(nonce).toMatch(/^[A-Za-z0-9]{24}$/);
		expect(new Set(made).size).toBe(made.length);
	});

	test("[TRD-10] every character is random, with at least 128 bits in total", () => {
		const made = Array.from({ length: 500 }, () => createNonce(randomBytes));
		for (let place = 0; place < 24; place++) {
			// 62 characters: that 500 draws show fewer than 40 of them happens to nobody.
			expect(new Set(made.map((nonce) => nonce[place])).size).toBeGreaterThan(40);
		}
		expect(24 * Math.log2(62)).toBeGreaterThan(128);
		const asked: number[] = [];
		createNonce((count) => {
			asked.push(count);
			return randomBytes(count);
		});
		expect(asked).toEqual([32]);
	});
});

describe("homeChain", () => {
	const chains = createChainRegistry(builtinChains);
	const { rpc } = createFakeChain();

	function home(reached: string[], options: { name?: string; sandbox?: boolean } = {}) {
		const access = reached.map((slug) => {
			const chain = chains.bySlug(slug);
			if (!chain) throw new Error(slug);
			return { chain, rpcFor: () => rpc, headUrls: [] };
		});
		const { name, sandbox = false } = options;
		const { chain, ...rest } = homeChain({ chains, reached: access }, { name, sandbox });
		return { ...rest, id: chain.id };
	}

	test("[TRD-14] the home chain is 4663, and only that chain is accepted in sign-in messages", () => {
		expect(home(["base", "robinhood"])).toEqual({ id: 4663, rpc, signInChainIds: [4663] });
		expect(home(["base", "anvil"])).toEqual({ id: 4663, rpc: null, signInChainIds: [4663] });
	});

	test("[TRD-14] the sandbox's chain replaces it, and messages may carry either id", () => {
		const stood = home(["anvil"], { sandbox: true });
		expect(stood).toEqual({ id: 31_337, rpc, signInChainIds: [4663, 31_337] });
	});

	test("[TRD-14] a sandbox that has its own 4663 links wallets there", () => {
		const own = home(["anvil", "robinhood"], { sandbox: true });
		expect(own).toEqual({ id: 4663, rpc, signInChainIds: [4663] });
	});

	test("an operator may name another home chain; an undefined one is refused at boot", () => {
		expect(home(["anvil"], { name: "anvil" })).toEqual({
			id: 31_337,
			rpc,
			signInChainIds: [31_337],
		});
		expect(() => home(["anvil"], { name: "nowhere" })).toThrow("home_chain_unknown");
	});
});

describe("signInOrigins", () => {
	function origins(host: string | null, place: Partial<Parameters<typeof signInOrigins>[1]> = {}) {
		const headers = host === null ? new Headers() : new Headers({ host });
		const request = new Request("http://localhost/", { headers });
		const allowedOrigins = ["https://app.example"];
		return signInOrigins(request, {
			publicUrl: undefined,
			sandbox: false,
			allowedOrigins,
			...place,
		});
	}

	test("[TRD-10] with a public address, sign-in is for it and allowed pages, whatever the Host header is", () => {
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

	test("[TRD-10] without a public address, the Host header is accepted for this machine only", () => {
		for (const host of [
			"evil.example",
			"localhost.evil.example",
			"10.0.0.1:4000",
			"",
			"a b",
			null,
		]) {
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

	test("the sandbox accepts any host name for signing in", () => {
		expect(origins("sandbox.lan:4000", { sandbox: true })).toEqual([
			"http://sandbox.lan:4000",
			"https://app.example",
		]);
	});
});
