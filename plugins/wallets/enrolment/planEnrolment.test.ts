import { describe, expect, test } from "bun:test";
import { withoutUnlinked } from "#plugins/wallets/enrolment/createEnrolment.ts";
import {
	capabilityOf,
	type EnrolledUser,
	planEnrolment,
} from "#plugins/wallets/enrolment/planEnrolment.ts";
import type { Profile, Wallet } from "#plugins/wallets/model.ts";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

describe("capabilityOf", () => {
	const address = `0x${"a".repeat(40)}` as const;
	const embedded = { type: "wallet", address, providerWalletId: "w-1" } as const;
	const held = { id: "w-1", address, isDelegated: true, isArchived: false };

	test("[TRD-09] the service may send for a wallet only if every condition is proved", () => {
		expect(capabilityOf(embedded, held)).toBe("embedded/delegated");
		expect(capabilityOf(embedded, { ...held, isDelegated: false })).toBe("embedded/manual");
		expect(capabilityOf({ ...embedded, providerWalletId: null }, null)).toBe("external/manual");
		expect(capabilityOf({ ...embedded, providerWalletId: null }, held)).toBe("external/manual");
		expect(capabilityOf(embedded, null)).toBe("embedded/manual");
		expect(capabilityOf(embedded, { ...held, isArchived: true })).toBe("disabled");
		expect(capabilityOf(embedded, { ...held, id: "w-2" })).toBe("review-required");
		expect(capabilityOf(embedded, { ...held, address: `0x${"b".repeat(40)}` })).toBe(
			"review-required",
		);
	});
});

describe("createDeployment", () => {
	// Guarantee: the deployment's own wallet has one profile, and nobody ever speaks for it.

	const own = identityOfFile();
	const { signal } = new AbortController();
	const profileOf = (providerWalletId: string) =>
		own.fixture.identity.service.deploymentProfile({ providerWalletId, signal });

	/** Lets the wallet provider hold a wallet whose key is that of this number. */
	function hold(providerWalletId: string, key: number, isDelegated = true) {
		return own.fixture.provider.embedded(providerWalletId, addressOf(key), isDelegated);
	}

	test("the deployment's profile is made once, with one wallet for which the service may sign", async () => {
		hold("keeper", 900);
		const asked = await Promise.all([1, 2, 3, 4].map(() => profileOf("keeper")));
		const [profile] = asked;
		expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
		expect(profile?.wallets).toMatchObject([
			{ address: addressOf(900), capability: "embedded/delegated", providerWalletId: "keeper" },
		]);
		expect(profile?.canonicalWalletId).toBe(profile?.wallets[0]?.id ?? "");
		const made = own.fixture.audited.filter(({ actor }) => actor === "service:wallets");
		expect(made).toMatchObject([{ action: "wallets.profile.created" }]);
	});

	test("a signature of the deployment's address opens no session, and does not link it to anybody", async () => {
		hold("signed", 901);
		await profileOf("signed");
		const alone = await own.fixture.signIn(keyOf(901));
		expect([alone.status, alone.body.code]).toEqual([403, "deployment_own"]);
		const { token } = (await own.fixture.signIn(keyOf(1))).body;
		const linked = await own.fixture.signIn(
			keyOf(901),
			{},
			{ bearer: token, body: { link: true } },
		);
		expect([linked.status, linked.body.code]).toEqual([409, "wallet_linked_elsewhere"]);
	});

	test("a user of the wallet provider whose accounts include the deployment's wallet does not get it", async () => {
		const account = hold("listed", 902);
		await profileOf("listed");
		const enrolled = await own.fixture.enrol(own.fixture.provider.user("did:thief", [account]));
		expect([enrolled.status, enrolled.body.code]).toEqual([409, "wallet_linked_elsewhere"]);
	});

	test("a deployment wallet that belongs to a profile is refused, and stays with that profile", async () => {
		const token = own.fixture.provider.user("did:owner", [hold("taken", 903)]);
		expect((await own.fixture.enrol(token)).status).toBe(200);
		await expect(profileOf("taken")).rejects.toMatchObject({ code: "deployment_wallet_taken" });
		const { body } = await own.fixture.call("/profile", { bearer: token });
		expect(body.wallets).toHaveLength(1);
	});

	test("a deployment wallet for which we may not sign is refused, also later", async () => {
		hold("undelegated", 904, false);
		const unusable = { code: "deployment_wallet_unusable" };
		await expect(profileOf("undelegated")).rejects.toMatchObject(unusable);
		await expect(profileOf("nowhere")).rejects.toMatchObject(unusable);
		hold("revoked", 905);
		const { id } = await profileOf("revoked");
		hold("revoked", 905, false);
		await expect(profileOf("revoked")).rejects.toMatchObject(unusable);
		// A provider that names another address for the same wallet is not believed.
		hold("revoked", 906);
		await expect(profileOf("revoked")).rejects.toMatchObject(unusable);
		hold("revoked", 905);
		expect((await profileOf("revoked")).id).toBe(id);
	});
});

describe("planEnrolment", () => {
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

	test("a profile that already matches the provider's user is left unchanged", () => {
		const profile = profileOf({
			socialUserId: "s",
			socialUsername: "n",
			wallets: [
				walletOf(A),
				walletOf(B, { capability: "external/manual", providerWalletId: null }),
			],
		});
		expect(planEnrolment(profile, user)).toEqual({ social: undefined, added: [], changed: [] });
		const bare = { ...user, social: null, wallets: [] };
		expect(planEnrolment(profileOf({}), bare)).toEqual({
			social: undefined,
			added: [],
			changed: [],
		});
	});

	test("[TRD-09] wallets that changed at the provider are changed, and missing ones are removed", () => {
		const profile = profileOf({ wallets: [walletOf(A), walletOf(B)] });
		const manual = { ...enrolledA, capability: "embedded/manual" } as const;
		expect(planEnrolment(profile, { ...user, wallets: [manual] }).changed).toEqual([
			{ wallet: walletOf(A), to: { capability: "embedded/manual", providerWalletId: "w-a" } },
			{ wallet: walletOf(B), to: { capability: "disabled", providerWalletId: "w-b" } },
		]);
	});

	test("a wallet that was proved by a signature becomes embedded once the provider holds it", () => {
		const signed = walletOf(A, { capability: "external/manual", providerWalletId: null });
		const { added, changed } = planEnrolment(profileOf({ wallets: [signed] }), user);
		expect(added).toEqual([]);
		expect(changed).toMatchObject([{ to: { capability: "embedded/delegated" } }]);
	});

	test("signing in does not release a wallet that waits for an operator's review", () => {
		const wallets = [walletOf(A, { capability: "review-required" })];
		expect(planEnrolment(profileOf({ wallets }), user).changed).toEqual([]);
	});

	test("a social account that is new, renamed or gone at the provider is changed accordingly", () => {
		const known = profileOf({ socialUserId: "s", socialUsername: "old" });
		expect(planEnrolment(known, user).social).toEqual({ userId: "s", username: "n" });
		expect(planEnrolment(known, { ...user, social: null }).social).toBeNull();
		const other = { userId: "other", username: null };
		expect(planEnrolment(known, { ...user, social: other }).social).toEqual(other);
	});

	test("[TRD-09] an unlinked wallet or account is treated as if the provider did not name it", () => {
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
});
