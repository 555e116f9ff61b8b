import { expect, test } from "bun:test";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

// Guarantee: the deployment's own wallet has one profile, and nobody ever speaks for it.

const own = identityOfFile();
const { signal } = new AbortController();
const profileOf = (providerWalletId: string) =>
	own.fixture.identity.service.deploymentProfile({ providerWalletId, signal });

/** Lets the wallet provider hold a wallet whose key is that of this number. */
function hold(providerWalletId: string, key: number, isDelegated = true) {
	return own.fixture.provider.embedded(providerWalletId, addressOf(key), isDelegated);
}

test("its profile is made once, with one wallet that the service may sign for", async () => {
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

test("a signature of its address opens no session, and does not link it to somebody", async () => {
	hold("signed", 901);
	await profileOf("signed");
	const alone = await own.fixture.signIn(keyOf(901));
	expect([alone.status, alone.body.code]).toEqual([403, "deployment_own"]);
	const { token } = (await own.fixture.signIn(keyOf(1))).body;
	const linked = await own.fixture.signIn(keyOf(901), {}, { bearer: token, body: { link: true } });
	expect([linked.status, linked.body.code]).toEqual([409, "wallet_linked_elsewhere"]);
});

test("a user of the wallet provider who lists it does not get it", async () => {
	const account = hold("listed", 902);
	await profileOf("listed");
	const enrolled = await own.fixture.enrol(own.fixture.provider.user("did:thief", [account]));
	expect([enrolled.status, enrolled.body.code]).toEqual([409, "wallet_linked_elsewhere"]);
});

test("a wallet that somebody has is refused, and stays theirs", async () => {
	const token = own.fixture.provider.user("did:owner", [hold("taken", 903)]);
	expect((await own.fixture.enrol(token)).status).toBe(200);
	await expect(profileOf("taken")).rejects.toMatchObject({ code: "deployment_wallet_taken" });
	const { body } = await own.fixture.call("/profile", { bearer: token });
	expect(body.wallets).toHaveLength(1);
});

test("a wallet that we may not sign for is refused, also later", async () => {
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
