import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";

const chains = createChainRegistry(builtinChains);

const example: Chain = {
	slug: "example",
	id: 123_456,
	name: "Example",
	nativeCurrency: { symbol: "EXA", decimals: 18 },
	nativeIsEth: false,
	wrappedNative: null,
	aliases: ["exa_chain"],
	publicRpcUrls: [],
};

test("a chain is found by our name, the provider's name and its id, in any case", () => {
	for (const text of ["polygon", "matic", "MATIC", "Polygon", "137"]) {
		expect(chains.bySlug(text)?.slug).toBe("polygon");
	}
	expect(chains.bySlug("ape_chain")?.slug).toBe("apechain");
	expect(chains.bySlug("bera_chain")?.slug).toBe("berachain");
	expect(chains.byId(8453)?.slug).toBe("base");
});

test("what is no chain finds none", () => {
	for (const text of ["", "nowhere", "0x1", "01", "1.0", " base", "__proto__", "constructor"]) {
		expect(chains.bySlug(text)).toBeUndefined();
	}
	expect(chains.byId(0)).toBeUndefined();
	expect(chains.byId(1.5)).toBeUndefined();
});

test("a contributed chain joins the built-in ones", () => {
	const more = createChainRegistry([...builtinChains, example]);
	expect(more.bySlug("exa_chain")).toBe(example);
	expect(more.all).toHaveLength(builtinChains.length + 1);
});

test("two chains under one slug, alias or id are refused, and the refusal names both", () => {
	const clashes: Partial<Chain>[] = [
		{ slug: "base" },
		{ slug: "matic" },
		{ aliases: ["polygon"] },
		{ aliases: ["8453"] },
		{ slug: "8453" },
		{ id: 8453 },
		{ aliases: ["example"] },
	];
	for (const clash of clashes) {
		const both = [...builtinChains, { ...example, ...clash }];
		expect(() => createChainRegistry(both)).toThrow(/means both .* and /);
	}
});

test("a name that a route or a list could not carry is refused", () => {
	for (const slug of ["", "Base2", "two words", "a,b", "a/b", "-a"]) {
		expect(() => createChainRegistry([{ ...example, slug }])).toThrow("cannot name a chain");
	}
	for (const id of [0, -1, 1.5, Number.NaN, 2 ** 60]) {
		expect(() => createChainRegistry([{ ...example, id }])).toThrow("has the id");
	}
});
