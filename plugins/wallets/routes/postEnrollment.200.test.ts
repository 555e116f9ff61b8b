import { expect, test } from "bun:test";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
const capabilities = (body: { wallets: { address: string; capability: string }[] }) =>
	Object.fromEntries(body.wallets.map(({ address, capability }) => [address, capability]));

test("[TRD-09] enrolling makes a profile of what the provider proved, and signs in", async () => {
	const { provider } = own.fixture;
	const token = provider.user("u-1", [
		provider.social("s-1", "ann"),
		provider.external(addressOf(10)),
		provider.embedded("w-11", addressOf(11), false),
		provider.embedded("w-12", addressOf(12), true),
	]);
	const { status, body, headers } = await own.fixture.enrol(token);
	expect(status).toBe(200);
	expect(body.profile.social).toEqual({ userId: "s-1", username: "ann" });
	expect(capabilities(body.profile)).toEqual({
		[addressOf(10)]: "external/manual",
		[addressOf(11)]: "embedded/manual",
		[addressOf(12)]: "embedded/delegated",
	});
	const canonical = body.profile.wallets.filter((one: { isCanonical: boolean }) => one.isCanonical);
	expect(canonical).toMatchObject([{ address: addressOf(12), chainId: 4663 }]);
	expect(headers.get("set-cookie")).toBe(
		`__Host-session=${body.token}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800`,
	);
	expect((await own.fixture.call("/profile", { bearer: body.token })).body).toEqual(body.profile);
	expect((await own.fixture.call("/profile", { bearer: token })).body).toEqual(body.profile);
});

test("the access token may come in the body, and then wins over a session", async () => {
	const { provider } = own.fixture;
	const token = provider.user("u-2", [provider.social("s-2")]);
	const { body: other } = await own.fixture.signIn(keyOf(5));
	const sent = { body: { accessToken: token } };
	const { status, body } = await own.fixture.call("/enrollment", { ...sent, bearer: other.token });
	expect(status).toBe(200);
	expect(body.profile.social.userId).toBe("s-2");
	expect(body.profile.id).not.toBe(other.profile.id);
	expect((await own.fixture.call("/profile", { bearer: other.token })).status).toBe(401);
});

test("[TRD-09] what a body says of accounts is nothing: only the provider's word counts", async () => {
	const { provider } = own.fixture;
	const token = provider.user("u-3", [provider.external(addressOf(13))]);
	const { status, body } = await own.fixture.enrol(token, {
		socialUserId: "victim",
		social: { userId: "victim" },
		userId: "u-1",
		wallets: [{ address: addressOf(10) }],
	});
	expect(status).toBe(200);
	expect(body.profile.social).toBeNull();
	expect(capabilities(body.profile)).toEqual({ [addressOf(13)]: "external/manual" });
	expect(await own.fixture.identity.service.profileOfSocial("victim")).toBeNull();
});

test("[TRD-09] delegation that was given or taken back is seen, and raises both revisions", async () => {
	const { provider, identity } = own.fixture;
	const accounts = [provider.embedded("w-14", addressOf(14), true)];
	const token = provider.user("u-4", accounts);
	const speaking = new Request("http://localhost/", {
		headers: { authorization: `Bearer ${token}` },
	});
	const now = async () => (await identity.service.authenticate(speaking)).profile;
	await own.fixture.enrol(token);
	const before = await now();
	await own.fixture.enrol(token);
	expect(await now()).toEqual(before);
	provider.embedded("w-14", addressOf(14), false);
	await own.fixture.enrol(token);
	const drifted = await now();
	expect(drifted.revision).toBe(before.revision + 1);
	expect(drifted.wallets).toMatchObject([{ capability: "embedded/manual", revision: 2 }]);
	provider.user("u-4", []);
	await own.fixture.enrol(token);
	const gone = await now();
	expect(gone.wallets).toMatchObject([{ capability: "disabled", revision: 3 }]);
	expect(gone.canonicalWalletId).toBeNull();
});

test("a profile that somebody made by signing is theirs when they enrol with that wallet", async () => {
	const { provider } = own.fixture;
	const { body: signed } = await own.fixture.signIn(keyOf(15));
	const token = provider.user("u-5", [
		provider.social("s-5"),
		provider.external(addressOf(15)),
		provider.embedded("w-16", addressOf(16), true),
	]);
	const { body } = await own.fixture.enrol(token);
	expect(body.profile.id).toBe(signed.profile.id);
	expect(body.profile.canonicalWalletId).toBe(signed.profile.canonicalWalletId);
	expect(body.profile.wallets).toHaveLength(2);
	const { body: again } = await own.fixture.signIn(keyOf(15));
	expect(again.profile).toEqual(body.profile);
});

test("[TRD-09] signing in does not link again what was unlinked here; asking for it does", async () => {
	const { provider } = own.fixture;
	const token = provider.user("u-6", [
		provider.social("s-6", "eve"),
		provider.embedded("w-17", addressOf(17), true),
		provider.embedded("w-18", addressOf(18), true),
	]);
	const { body } = await own.fixture.enrol(token);
	const [first] = body.profile.wallets;
	const bearer = body.token;
	await own.fixture.call("/profile/social", { method: "DELETE", bearer });
	await own.fixture.call(`/profile/wallets/${first.id}`, { method: "DELETE", bearer });
	const { body: again } = await own.fixture.enrol(token);
	expect(again.profile.social).toBeNull();
	expect(capabilities(again.profile)).toEqual({ [addressOf(18)]: "embedded/delegated" });
	const { body: asked } = await own.fixture.enrol(token, { relink: true });
	expect(asked.profile.social).toEqual({ userId: "s-6", username: "eve" });
	expect(Object.keys(capabilities(asked.profile)).sort()).toEqual(
		[addressOf(17), addressOf(18)].sort(),
	);
	// From now on it is linked like any other.
	expect((await own.fixture.enrol(token)).body.profile).toEqual(asked.profile);
});

test("what was unlinked here and is another's now keeps nobody from signing in", async () => {
	const { provider } = own.fixture;
	const token = provider.user("u-7", [provider.social("s-7"), provider.external(addressOf(19))]);
	const { body } = await own.fixture.enrol(token);
	const [wallet] = body.profile.wallets;
	const unlinking = { method: "DELETE", bearer: body.token };
	await own.fixture.call(`/profile/wallets/${wallet.id}`, unlinking);
	const { body: other } = await own.fixture.signIn(keyOf(19));
	expect(other.profile.id).not.toBe(body.profile.id);
	const again = await own.fixture.enrol(token);
	expect({ status: again.status, wallets: again.body.profile.wallets }).toEqual({
		status: 200,
		wallets: [],
	});
	expect((await own.fixture.enrol(token, { relink: true })).body.code).toBe(
		"wallet_linked_elsewhere",
	);
});

// Guarantee: however many come at once, one person is one profile.
test("[TRD-09] enrolments of one person at the same time make one profile", async () => {
	const { provider } = own.fixture;
	const token = provider.user("u-8", [
		provider.social("s-8"),
		provider.embedded("w-20", addressOf(20), true),
		provider.external(addressOf(21)),
	]);
	const gate = Promise.withResolvers<void>();
	let waiting = 0;
	provider.waits.user = async () => {
		if (++waiting === 6) gate.resolve();
		await gate.promise;
	};
	const answers = await Promise.all(Array.from({ length: 6 }, () => own.fixture.enrol(token)));
	provider.waits.user = async () => {};
	expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
	expect(new Set(answers.map(({ body }) => body.profile.id)).size).toBe(1);
	expect(new Set(answers.map(({ body }) => body.token)).size).toBe(6);
	const [row] = await own.fixture.db.query<{ profiles: number; wallets: number }>(
		`select (select count(*) from wallets.profile where social_user_id = 's-8')::int as profiles,
			(select count(*) from wallets.wallet where provider_wallet_id = 'w-20')::int as wallets`,
	);
	expect(row).toEqual({ profiles: 1, wallets: 1 });
});

test("each change is in the audit, once, and holds nothing of the provider's names", async () => {
	const { provider, audited } = own.fixture;
	const token = provider.user("u-9", [
		provider.social("s-9", "joe"),
		provider.embedded("w-22", addressOf(22), true),
	]);
	audited.length = 0;
	const { body } = await own.fixture.enrol(token);
	await own.fixture.enrol(token);
	provider.embedded("w-22", addressOf(22), false);
	await own.fixture.enrol(token);
	const actor = `profile:${body.profile.id}`;
	expect(audited).toMatchObject([
		{ actor, action: "wallets.profile.created", detail: { socialUserId: "s-9" } },
		{ actor, action: "wallets.profile.enrolled", detail: { changed: [{ to: "embedded/manual" }] } },
	]);
	expect(JSON.stringify(audited)).not.toMatch(/w-22|u-9|access-of/);
});
