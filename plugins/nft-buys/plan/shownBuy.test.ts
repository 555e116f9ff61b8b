import { expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { fundsDenial, keepsBuy, shownBuy } from "#plugins/nft-buys/plan/shownBuy.ts";
import type { Plan } from "#plugins/wallets/contract.ts";

const who = (digit: string): Address => `0x${digit.repeat(40)}`;
const shown = {
	contract: who("c"),
	tokenId: "7",
	quantity: "1",
	standard: "erc721",
	marketplace: who("5"),
	orderHash: `0x${"7".repeat(64)}`,
	pays: { currency: who("0") },
	seller: who("2"),
};
const approved: Plan = {
	chainId: 1,
	from: who("1"),
	to: who("5"),
	valueRaw: 100n,
	data: "0x01",
	spend: { currency: who("0"), raw: 100n, decimals: 18, symbol: "ETH" },
	recipient: null,
	shown,
	expiresAtMs: 1,
};

test("a confirmation stays valid for a new plan that costs no more and buys the same", () => {
	const fresh = { ...approved, data: "0x02" as const, expiresAtMs: 2 };
	expect(keepsBuy(approved, fresh)).toBe(true);
	const cheaper = { ...fresh, spend: { ...fresh.spend, raw: 99n } };
	expect(keepsBuy(approved, cheaper)).toBe(true);
	expect(keepsBuy(approved, { ...fresh, shown: { ...shown, seller: who("3") } })).toBe(true);
});

test("a new plan that differs in what the owner sees needs a new confirmation", () => {
	const { spend } = approved;
	const others: Partial<Plan>[] = [
		{ chainId: 2 },
		{ from: who("6") },
		{ to: who("6") },
		{ spend: { ...spend, raw: 101n } },
		{ spend: { ...spend, currency: who("d") } },
		{ shown: { ...shown, contract: who("d") } },
		{ shown: { ...shown, tokenId: "8" } },
		{ shown: { ...shown, quantity: "2" } },
		{ shown: { ...shown, standard: "erc1155" } },
	];
	for (const other of others) {
		expect({ other, kept: keepsBuy(approved, { ...approved, ...other }) }).toEqual({
			other,
			kept: false,
		});
	}
});

test("the stored members of a plan that settling reads are validated", () => {
	expect(shownBuy.read(shown)).toEqual({
		contract: who("c"),
		tokenId: 7n,
		quantity: 1n,
		standard: "erc721",
		marketplace: who("5"),
		orderHash: `0x${"7".repeat(64)}`,
		pays: { currency: who("0") },
	});
	expect(() => shownBuy.read({ ...shown, tokenId: "0x7" })).toThrow();
	expect(() => shownBuy.read({})).toThrow();
});

test("a price in an ERC-20 needs the balance for all of it", () => {
	const payment = { currency: who("c"), total: 10n, parts: [] };
	const code = (balanceRaw: bigint) =>
		fundsDenial(payment, { balanceRaw, allowanceRaw: 0n, decimals: 6 })?.code ?? null;
	expect(code(10n)).toBeNull();
	expect(code(9n)).toBe("balance_insufficient");
});
