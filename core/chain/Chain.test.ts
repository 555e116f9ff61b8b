import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { type Chain, chainNumbers, createChainRegistry, homeChainOf } from "#core/chain/Chain.ts";

describe("chainNumbers", () => {
	// Guarantee: a node's number is accepted only in the range that its meaning allows.

	const hex = (value: bigint) => `0x${value.toString(16)}`;
	/** Values that a node may send but that are no number of a chain. */
	const NONSENSE = [
		...["0x", "1", "0xg", "0x-1", "-0x1", "0x1.5", "0x1 ", "", "lots", "1e3"],
		...[null, undefined, 1, 1.5, 1n, true, [], {}, `0x${"1".repeat(65)}`],
	];
	/** The greatest valid value of each kind; the next one is refused. */
	const WHOLE = {
		blockNumber: 2n ** 33n - 1n,
		nonce: 2n ** 48n - 1n,
		seconds: 8_640_000_000_000n,
		place: 2n ** 30n - 1n,
		chainId: 2n ** 53n - 1n,
	};
	const UNITS = { gas: 2n ** 48n - 1n, gasPrice: 10n ** 18n, wei: 2n ** 256n - 1n };

	test("invalid text is refused as a number of any kind", () => {
		for (const schema of Object.values(chainNumbers)) {
			for (const bad of NONSENSE) expect(schema.safeParse(bad).success).toBe(false);
		}
	});

	describe("each kind of number is read up to its maximum, and refused above it", () => {
		for (const [name, max] of Object.entries(WHOLE)) {
			test(name, () => {
				const schema = chainNumbers[name as keyof typeof WHOLE];
				fc.assert(
					fc.property(fc.bigInt({ min: 0n, max }), (value) => {
						const read = schema.parse(hex(value));
						expect(Number.isSafeInteger(read)).toBe(true);
						expect(BigInt(read)).toBe(value);
					}),
				);
				expect(schema.parse(hex(max))).toBe(Number(max));
				for (const beyond of [max + 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n, 2n ** 256n - 1n]) {
					expect(schema.safeParse(hex(beyond)).success).toBe(false);
				}
			});
		}
		for (const [name, max] of Object.entries(UNITS)) {
			test(name, () => {
				const schema = chainNumbers[name as keyof typeof UNITS];
				fc.assert(
					fc.property(fc.bigInt({ min: 0n, max }), (value) => {
						expect(schema.parse(hex(value))).toBe(value);
					}),
				);
				expect(schema.safeParse(hex(max + 1n)).success).toBe(false);
			});
		}
	});

	test("every number of seconds that is accepted can be held by a Date", () => {
		const last = chainNumbers.seconds.parse(hex(8_640_000_000_000n));
		expect(new Date(last * 1_000).toISOString()).toBe("+275760-09-13T00:00:00.000Z");
	});

	test("a transaction's status is success or failure, and any third value is refused", () => {
		expect(chainNumbers.succeeded.parse("0x1")).toBe(true);
		expect(chainNumbers.succeeded.parse("0x0")).toBe(false);
		for (const bad of ["0x2", "0xff", hex(2n ** 256n - 1n)]) {
			expect(chainNumbers.succeeded.safeParse(bad).success).toBe(false);
		}
	});
});

describe("chainRegistry", () => {
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

	test("an unknown name finds no chain", () => {
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

	test("chains that share a slug, alias or id are refused, and the refusal names both", () => {
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
});

describe("homeChainOf", () => {
	const chains = createChainRegistry(builtinChains);
	const home = (TRADING_HOME_CHAIN: string | undefined, SANDBOX: boolean) =>
		homeChainOf(chains, { TRADING_HOME_CHAIN, SANDBOX })?.id;

	test("the home chain is the configured one, or else 4663; the sandbox has no default", () => {
		expect(home(undefined, false)).toBe(4663);
		expect(home(undefined, true)).toBeUndefined();
		expect([home("base", false), home("8453", true)]).toEqual([8453, 8453]);
		expect(home("nowhere", false)).toBeUndefined();
	});
});
