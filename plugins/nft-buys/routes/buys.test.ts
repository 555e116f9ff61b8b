import { expect, test } from "bun:test";
import fc from "fast-check";
import { checksumAddress } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault.ts";
import { decimalString } from "#core/money.ts";
import { bodyFields, chainOf, payingWallet, priceRaw } from "#plugins/nft-buys/routes/buys.ts";
import { renderIntent } from "#plugins/nft-buys/routes/intents.ts";
import {
	createSignedIn,
	type Intent,
	type Profile,
	type Wallet,
} from "#plugins/wallets/contract.ts";

const chains = createChainRegistry(builtinChains);
const [ethereum, base] = ["ethereum", "base"].map((slug) => chains.bySlug(slug)!);

function codeOf(act: () => unknown): string | null {
	try {
		act();
		return null;
	} catch (error) {
		return error instanceof Fault ? error.code : String(error);
	}
}

test("an address is accepted in lower case or with a valid checksum only", () => {
	const hex = fc.bigInt(1n, 2n ** 160n - 1n).map((value) => value.toString(16).padStart(40, "0"));
	fc.assert(
		fc.property(hex, (digits) => {
			const lower = `0x${digits}` as const;
			const mixed = checksumAddress(lower);
			expect(bodyFields.contract.parse(lower)).toBe(lower);
			expect(bodyFields.contract.parse(mixed)).toBe(lower);
			const swapped = mixed.replace(/[a-fA-F]/, (letter) =>
				letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
			);
			const stillOne = swapped === lower || swapped === mixed;
			expect(bodyFields.contract.safeParse(swapped).success).toBe(stillOne);
		}),
	);
});

test("a price is exact to the base unit, and zero is refused", () => {
	const units = fc.bigInt(1n, 10n ** 40n);
	fc.assert(
		fc.property(units, (raw) => {
			expect(priceRaw("price", { text: decimalString(raw, 18), chain: ethereum! })).toBe(raw);
		}),
	);
	for (const text of ["0", "0.0", "1e18", "0x10", "１", "1,5", "-0", "9".repeat(78)]) {
		expect({ text, code: codeOf(() => priceRaw("price", { text, chain: ethereum! })) }).toEqual({
			text,
			code: "amount_invalid",
		});
	}
});

test("a chain is accepted in any spelling, and may be left out if there is only one", () => {
	const both = { chains, served: [ethereum!, base!] };
	for (const text of ["base", "Base", "8453"]) expect(chainOf(both, text)).toBe(base!);
	expect(codeOf(() => chainOf(both, undefined))).toBe("chain_required");
	expect(codeOf(() => chainOf({ chains, served: [] }, undefined))).toBe("chain_required");
	expect(codeOf(() => chainOf(both, "polygon"))).toBe("validation_error");
	expect(codeOf(() => chainOf(both, "solana"))).toBe("validation_error");
	expect(chainOf({ chains, served: [base!] }, undefined)).toBe(base!);
});

test("the canonical wallet pays unless another own wallet is given", () => {
	const [first, second] = ["a", "b"].map((id) => ({ id }) as Wallet);
	const profile = { wallets: [first!, second!], canonicalWalletId: "b" } as unknown as Profile;
	expect(payingWallet(profile, undefined)).toBe(second!);
	expect(payingWallet(profile, "A")).toBe(first!);
	expect(payingWallet({ ...profile, canonicalWalletId: null }, undefined)).toBe(first!);
	expect(codeOf(() => payingWallet(profile, "c"))).toBe("validation_error");
	const bare = { ...profile, wallets: [] };
	expect(payingWallet(bare, undefined)).toBeNull();
	expect(codeOf(() => payingWallet(bare, "a"))).toBe("validation_error");
});

test("a request is authenticated once, also if that fails", async () => {
	let asked = 0;
	const signedIn = createSignedIn({
		async authenticate() {
			asked += 1;
			throw new Error("nobody");
		},
	});
	const request = new Request("http://localhost/");
	await expect(signedIn({ request })).rejects.toThrow("nobody");
	await expect(signedIn({ request })).rejects.toThrow("nobody");
	expect(asked).toBe(1);
	await expect(signedIn({ request: new Request("http://localhost/") })).rejects.toThrow();
	expect(asked).toBe(2);
});

test("[NFT-03] an intent shows its limit exactly and for display, in the chain's coin", () => {
	const intent: Intent = {
		id: "i",
		kind: "nft_offer",
		profileId: "p",
		walletId: "w",
		chainId: 1,
		channel: "api",
		status: "rejected",
		errorCode: "x",
		error: { code: "x", message: "Because." },
		request: {
			contract: `0x${"c".repeat(40)}`,
			tokenId: null,
			quantity: "1",
			priceLimitRaw: "123456789012345678901",
			orderHash: null,
		},
		plan: null,
		planHash: null,
		batchId: null,
		transactionHash: null,
		cancellation: null,
		asks: false,
		afterId: null,
		createdAtMs: 0,
		changedAtMs: 0,
		expiresAtMs: 0,
	};
	expect(renderIntent(intent, chains)).toMatchObject({
		kind: "offer",
		chain: "ethereum",
		priceLimit: 123.45678901234568,
		priceLimitRaw: "123456789012345678901",
		createdAt: "1970-01-01T00:00:00.000Z",
		orderHash: null,
	});
});
