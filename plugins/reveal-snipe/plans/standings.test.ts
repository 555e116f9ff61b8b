import { expect, test } from "bun:test";
import { armedWith, driftOf, requireWallet } from "#plugins/reveal-snipe/plans/standings.ts";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";

// Guarantee: a plan buys with exactly the wallet and the profile that it was armed with.

const wallet: Wallet = {
	id: "w1",
	profileId: "p1",
	address: `0x${"1".repeat(40)}`,
	chainId: 31_337,
	capability: "embedded/delegated",
	providerWalletId: "pw1",
	notionalUsdMax: null,
	revision: 3,
};
const profile = (change: Partial<Profile> = {}, own: Partial<Wallet> = {}): Profile => ({
	id: "p1",
	socialUserId: null,
	socialUsername: null,
	canonicalWalletId: "w1",
	requireTradeConfirmation: false,
	perTradeUsdMax: null,
	dailyUsdMax: null,
	revision: 7,
	wallets: [{ ...wallet, ...own }],
	...change,
});
const plan = { walletId: "w1", ...armedWith(profile(), wallet) };

test.each([
	["nothing", profile(), null],
	["the profile is gone", null, "wallet_inactive"],
	["the wallet was unlinked", profile({ wallets: [], revision: 8 }), "wallet_inactive"],
	["the wallet was disabled", profile({}, { capability: "disabled" }), "wallet_inactive"],
	[
		"somebody has to look at it",
		profile({}, { capability: "review-required" }),
		"delegation_disabled",
	],
	["it signs by hand", profile({}, { capability: "embedded/manual" }), "wallet_not_delegated"],
	["it is an own one", profile({}, { capability: "external/manual" }), "wallet_not_delegated"],
	["trades are confirmed", profile({ requireTradeConfirmation: true }), "confirmation_required"],
	["another one is canonical", profile({ canonicalWalletId: "w2" }), "wallet_changed"],
	["no one is canonical", profile({ canonicalWalletId: null }), "wallet_changed"],
	["a limit of the wallet", profile({}, { revision: 4 }), "wallet_revision_changed"],
	["a limit of the profile", profile({ revision: 8 }), "wallet_revision_changed"],
] as const)("a changed wallet or profile is reported as: %s", (_, now, reason) => {
	expect(driftOf(plan, now)).toBe(reason);
});

test("a profile that requires confirmations is refused first, then a foreign wallet, then one that asks", () => {
	const code = (work: () => unknown) => {
		try {
			work();
			return null;
		} catch (error) {
			return (error as { code: string }).code;
		}
	};
	const confirms = profile({ requireTradeConfirmation: true, wallets: [] });
	expect(code(() => requireWallet(confirms, "other"))).toBe("confirmation_required_incompatible");
	expect(code(() => requireWallet(profile(), "other"))).toBe("validation_error");
	const manual = profile({}, { capability: "embedded/manual" });
	const needed = "delegated_execution_wallet_required";
	expect(code(() => requireWallet(manual, null))).toBe(needed);
	expect(code(() => requireWallet(profile({ wallets: [] }), null))).toBe(needed);
	expect(requireWallet(profile(), null).id).toBe("w1");
	expect(requireWallet(profile({ canonicalWalletId: null }), null).id).toBe("w1");
});
