import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	addressOf,
	type IdentityFixture,
	keyOf,
	openIdentity,
} from "#plugins/wallets/testing/identityFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the deployment's own wallet has one profile, and nobody ever speaks for it.

let database: TestDatabase;
let fixture: IdentityFixture;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = await openIdentity(database.db);
});
afterAll(() => database.drop());

const { signal } = new AbortController();
const profileOf = (providerWalletId: string) =>
	fixture.identity.service.deploymentProfile({ providerWalletId, signal });

/** Lets the wallet provider hold a wallet whose key is that of this number. */
function hold(providerWalletId: string, key: number, isDelegated = true) {
	return fixture.provider.embedded(providerWalletId, addressOf(key), isDelegated);
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
	expect(fixture.audited.filter(({ actor }) => actor === "deployment")).toHaveLength(1);
});

test("a signature of its address opens no session, and does not link it to somebody", async () => {
	hold("signed", 901);
	await profileOf("signed");
	const alone = await fixture.signIn(keyOf(901));
	expect([alone.status, alone.body.code]).toEqual([403, "deployment_own"]);
	const { token } = (await fixture.signIn(keyOf(1))).body;
	const linked = await fixture.signIn(keyOf(901), {}, { bearer: token, body: { link: true } });
	expect([linked.status, linked.body.code]).toEqual([409, "wallet_linked_elsewhere"]);
});

test("a user of the wallet provider who lists it does not get it", async () => {
	const account = hold("listed", 902);
	await profileOf("listed");
	const enrolled = await fixture.enrol(fixture.provider.user("did:thief", [account]));
	expect([enrolled.status, enrolled.body.code]).toEqual([409, "wallet_linked_elsewhere"]);
});

test("a wallet that somebody has is refused, and stays theirs", async () => {
	const token = fixture.provider.user("did:owner", [hold("taken", 903)]);
	expect((await fixture.enrol(token)).status).toBe(200);
	await expect(profileOf("taken")).rejects.toMatchObject({ code: "deployment_wallet_taken" });
	const { body } = await fixture.call("/profile", { bearer: token });
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
	// Another address under the name: whoever answers so is not believed.
	hold("revoked", 906);
	await expect(profileOf("revoked")).rejects.toMatchObject(unusable);
	hold("revoked", 905);
	expect((await profileOf("revoked")).id).toBe(id);
});
