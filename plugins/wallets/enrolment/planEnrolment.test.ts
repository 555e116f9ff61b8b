import { expect, test } from "bun:test";
import type { Profile, Wallet } from "#plugins/wallets/contract.ts";
import { withoutUnlinked } from "#plugins/wallets/enrolment/createEnrolment.ts";
import { planEnrolment } from "#plugins/wallets/enrolment/planEnrolment.ts";
import type { EnrolledUser } from "#plugins/wallets/enrolment/readEnrolledUser.ts";

const [A, B, C] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}` as const);
if (!A || !B || !C) throw new Error("three addresses");

function walletOf(address: Wallet["address"], changes: Partial<Wallet> = {}): Wallet {
	return {
		id: `id-${address[2]}`,
		profileId: "p",
		address,
		chainId: 4663,
		capability: "embedded/delegated",
		providerWalletId: `w-${address[2]}`,
		notionalUsdMax: null,
		revision: 1,
		...changes,
	};
}

function profileOf(changes: Partial<Profile>): Profile {
	return {
		id: "p",
		socialUserId: null,
		socialUsername: null,
		canonicalWalletId: null,
		requireTradeConfirmation: false,
		perTradeUsdMax: null,
		dailyUsdMax: null,
		revision: 1,
		wallets: [],
		...changes,
	};
}

const enrolledA = {
	address: A,
	providerWalletId: "w-a",
	capability: "embedded/delegated",
} as const;
const user: EnrolledUser = {
	id: "u",
	social: { userId: "s", username: "n" },
	wallets: [enrolledA],
};

test("what is so already is left alone", () => {
	const profile = profileOf({
		socialUserId: "s",
		socialUsername: "n",
		wallets: [walletOf(A), walletOf(B, { capability: "external/manual", providerWalletId: null })],
	});
	expect(planEnrolment(profile, user)).toEqual({ social: undefined, added: [], changed: [] });
	const bare = { ...user, social: null, wallets: [] };
	expect(planEnrolment(profileOf({}), bare)).toEqual({ social: undefined, added: [], changed: [] });
});

test("[TRD-09] a wallet that drifted, and one that the provider lists no more, change", () => {
	const profile = profileOf({ wallets: [walletOf(A), walletOf(B)] });
	const manual = { ...enrolledA, capability: "embedded/manual" } as const;
	expect(planEnrolment(profile, { ...user, wallets: [manual] }).changed).toEqual([
		{ wallet: walletOf(A), to: { capability: "embedded/manual", providerWalletId: "w-a" } },
		{ wallet: walletOf(B), to: { capability: "disabled", providerWalletId: "w-b" } },
	]);
});

test("a wallet that its owner proved by signing becomes embedded once the provider holds it", () => {
	const signed = walletOf(A, { capability: "external/manual", providerWalletId: null });
	const { added, changed } = planEnrolment(profileOf({ wallets: [signed] }), user);
	expect(added).toEqual([]);
	expect(changed).toMatchObject([{ to: { capability: "embedded/delegated" } }]);
});

test("what an operator wants to look at is not cleared by signing in", () => {
	const wallets = [walletOf(A, { capability: "review-required" })];
	expect(planEnrolment(profileOf({ wallets }), user).changed).toEqual([]);
});

test("a social account that is new, renamed or gone at the provider is so here", () => {
	const known = profileOf({ socialUserId: "s", socialUsername: "old" });
	expect(planEnrolment(known, user).social).toEqual({ userId: "s", username: "n" });
	expect(planEnrolment(known, { ...user, social: null }).social).toBeNull();
	const other = { userId: "other", username: null };
	expect(planEnrolment(known, { ...user, social: other }).social).toEqual(other);
});

test("[TRD-09] what was unlinked here is as if the provider did not know it", () => {
	const told = { ...user, wallets: [enrolledA, { ...enrolledA, address: C }] };
	const unlinked = { addresses: new Set([A]), socialUserId: "s" };
	expect(withoutUnlinked(told, unlinked)).toEqual({
		...told,
		social: null,
		wallets: [{ ...enrolledA, address: C }],
	});
	const nothing = { addresses: new Set<typeof A>(), socialUserId: null };
	expect(withoutUnlinked(told, nothing)).toEqual(told);
});
