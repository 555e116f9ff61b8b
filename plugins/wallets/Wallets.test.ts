import { expect, test } from "bun:test";
import { createTokenBook } from "#plugins/wallets/Wallets.ts";

const TSLA = `0x${"7e".repeat(20)}` as const;

test("a name book answers for the chains of its sources, and null for other chains", async () => {
	const book = createTokenBook();
	const place = { chainId: 1, address: TSLA };
	expect(await book.symbolOf(place)).toBeNull();
	const price = { kind: "sure", microsPerUnit: 5n } as const;
	const none = async () => null;
	book.register({ chainId: 1, symbolOf: none, priceOf: none, contractNamed: none });
	book.register({
		...{ chainId: 1, symbolOf: async () => "TSLA", priceOf: async () => price },
		contractNamed: async () => "a pool",
	});
	expect(await book.symbolOf(place)).toBe("TSLA");
	expect(await book.priceOf(place)).toBe(price);
	expect(await book.contractNamed(place)).toBe("a pool");
	expect(await book.contractNamed({ ...place, chainId: 2 })).toBeNull();
});

test("what is known of addresses on all chains is answered beside what registries know", async () => {
	const book = createTokenBook();
	book.registerContracts(async ({ address }) => (address === TSLA ? "a solver" : null));
	expect(await book.contractNamed({ chainId: 7, address: TSLA })).toBe("a solver");
	expect(await book.contractNamed({ chainId: 7, address: `0x${"01".repeat(20)}` })).toBeNull();
	book.registerContracts(() => Promise.reject(new TypeError("no database")));
	const unread = book.contractNamed({ chainId: 7, address: `0x${"01".repeat(20)}` });
	await expect(unread).rejects.toThrow("no database");
});

test("an unreadable source gives an unknown answer, not a negative one", async () => {
	const book = createTokenBook();
	const fails = () => Promise.reject(new TypeError("no database"));
	book.register({ chainId: 1, symbolOf: fails, priceOf: fails, contractNamed: fails });
	await expect(book.contractNamed({ chainId: 1, address: TSLA })).rejects.toThrow("no database");
});
