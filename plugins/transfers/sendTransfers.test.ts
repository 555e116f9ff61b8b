import { expect, test } from "bun:test";
import fc from "fast-check";
import { checksumAddress } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault.ts";
import { decimalString } from "#core/money.ts";
import { checkTransfers, placeOf, type TransfersBody } from "#plugins/transfers/sendTransfers.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

// Guarantee: only complete addresses and exact amounts are accepted, and they are not changed.

const chains = { ...createChainRegistry(builtinChains), isServed: () => true };
const wallet: Wallet = {
	id: "wallet-1",
	profileId: "profile-1",
	address: `0x${"9".repeat(40)}`,
	chainId: 4663,
	capability: "embedded/delegated",
	providerWalletId: "x",
	notionalUsdMax: null,
	revision: 1,
};
const profile: Profile = {
	id: "profile-1",
	socialUserId: null,
	socialUsername: null,
	canonicalWalletId: null,
	requireTradeConfirmation: false,
	perTradeUsdMax: null,
	dailyUsdMax: null,
	revision: 1,
	wallets: [wallet],
};
const check = (body: Partial<TransfersBody>) => {
	const whole = { fromWalletId: wallet.id, recipients: [`0x${"a1".repeat(20)}`], amount: "1" };
	const asked = { ...whole, ...body };
	return checkTransfers(asked, { ...placeOf(asked, { profile, chains }), coin: null });
};

const address = fc
	.uint8Array({ minLength: 20, maxLength: 20 })
	.filter((bytes) => bytes.slice(0, 18).some((byte) => byte > 0))
	.map((bytes) => `0x${Buffer.from(bytes).toString("hex")}` as const)
	.filter((one) => one !== wallet.address);

test("[TRF-04] valid addresses and amounts are unchanged, to the last wei", () => {
	fc.assert(
		fc.property(
			fc.uniqueArray(address, { minLength: 1, maxLength: 50 }),
			fc.bigInt({ min: 1n, max: 10n ** 30n }),
			fc.boolean(),
			(recipients, raw, spelled) => {
				const checked = check({
					recipients: recipients.map((one) => (spelled ? checksumAddress(one) : one)),
					amount: decimalString(raw, 18),
				});
				expect(checked).toMatchObject({ chainId: 4663, recipients, amountRaw: raw });
			},
		),
		{ numRuns: 50 },
	);
});

test("[TRF-04] an address with one letter in the wrong case is refused", () => {
	fc.assert(
		fc.property(address, fc.nat(), (one, place) => {
			const good = checksumAddress(one);
			const letters = [...good].flatMap((digit, at) => (at > 1 && /[a-f]/i.test(digit) ? at : []));
			const at = letters[place % letters.length];
			if (at === undefined) return;
			const digit = good.charAt(at);
			const other = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase();
			const wrong = good.slice(0, at) + other + good.slice(at + 1);
			// An address in lower case has no checksum.
			if (wrong === wrong.toLowerCase()) return;
			expect(() => check({ recipients: [wrong] })).toThrow(Fault);
		}),
	);
});

test("[TRF-04] only a plain decimal above zero is an amount", () => {
	fc.assert(
		fc.property(
			fc.oneof(fc.string(), fc.stringMatching(/^[-+ ]?[0-9１x_e.,]{1,30}$/)),
			(amount) => {
				const isAmount = /^(0|[1-9][0-9]*)(\.[0-9]{1,18})?$/.test(amount) && /[1-9]/.test(amount);
				if (isAmount) expect(check({ amount }).amountRaw > 0n).toBe(true);
				else expect(() => check({ amount })).toThrow(Fault);
			},
		),
	);
});

test("an amount in ETH is never another coin, with a given chain or the wallet's own", () => {
	for (const chain of ["polygon", "137"]) expect(() => check({ chain })).toThrow(Fault);
	const elsewhere = { ...wallet, chainId: 137 };
	const whole = { fromWalletId: wallet.id, recipients: [`0x${"a1".repeat(20)}`], amount: "1" };
	const owner = { ...profile, wallets: [elsewhere] };
	expect(() => placeOf(whole, { profile: owner, chains })).toThrow(Fault);
});

test("problems are listed up to a limit", () => {
	const recipients = Array.from({ length: 50 }, () => "x");
	try {
		check({ recipients });
		throw new Error("it was let through");
	} catch (error) {
		expect(error).toBeInstanceOf(Fault);
		expect((error as Fault).members["issues"]).toHaveLength(32);
	}
});
