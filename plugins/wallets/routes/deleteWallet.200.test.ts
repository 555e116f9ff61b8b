import { expect, test } from "bun:test";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
const remove = (path: string, bearer: string) =>
	own.fixture.call(`/profile/${path}`, { method: "DELETE", bearer });

test("[TRD-09] after unlinking a wallet its address is free, and the next best one is canonical", async () => {
	const { provider } = own.fixture;
	const token = provider.user("u-1", [
		provider.embedded("w-1", addressOf(1), true),
		provider.external(addressOf(2)),
	]);
	const { body } = await own.fixture.enrol(token);
	const [first, second] = body.profile.wallets;
	own.fixture.audited.length = 0;
	const { status, body: left } = await remove(`wallets/${first.id}`, body.token);
	expect(status).toBe(200);
	expect(left.wallets).toEqual([{ ...second, isCanonical: true }]);
	expect(left.canonicalWalletId).toBe(second.id);
	expect(own.fixture.audited).toMatchObject([
		{ action: "wallets.wallet.unlinked", subject: `wallet:${first.id}` },
	]);
	expect((await remove(`wallets/${first.id}`, body.token)).status).toBe(404);
	const { body: taken } = await own.fixture.signIn(keyOf(1));
	expect(taken.profile.id).not.toBe(body.profile.id);
});

test("the last wallet can be unlinked too, and its history is kept", async () => {
	const { body } = await own.fixture.signIn(keyOf(3));
	const { body: left } = await remove(`wallets/${body.profile.canonicalWalletId}`, body.token);
	expect(left).toMatchObject({ canonicalWalletId: null, wallets: [] });
	const rows = await own.fixture.db.query<{ removed: boolean; revision: number }>(
		"select removed_at is not null as removed, revision from wallets.wallet where id = $1",
		[body.profile.canonicalWalletId],
	);
	expect(rows).toEqual([{ removed: true, revision: 2 }]);
});

test("[TRD-09] an unlinked social account leads to no profile, and may be linked by another", async () => {
	const { provider, identity } = own.fixture;
	const { body } = await own.fixture.enrol(provider.user("u-4", [provider.social("s-4", "ann")]));
	own.fixture.audited.length = 0;
	const { status, body: left } = await remove("social", body.token);
	expect({ status, social: left.social }).toEqual({ status: 200, social: null });
	expect(await identity.service.profileOfSocial("s-4")).toBeNull();
	expect(own.fixture.audited).toMatchObject([{ action: "wallets.social.unlinked" }]);
	expect((await remove("social", body.token)).body).toEqual(left);
	expect(own.fixture.audited).toHaveLength(1);
	const { body: other } = await own.fixture.enrol(
		provider.user("u-5", [provider.social("s-4", "ann")]),
	);
	expect(await identity.service.profileOfSocial("s-4")).toMatchObject({ id: other.profile.id });
});

test("all other sessions of the profile must sign in again", async () => {
	const { body: thief } = await own.fixture.signIn(keyOf(6));
	const { body: owner } = await own.fixture.signIn(keyOf(6));
	const statusOf = async (bearer: string) =>
		(await own.fixture.call("/profile", { bearer })).status;
	expect([await statusOf(thief.token), await statusOf(owner.token)]).toEqual([200, 200]);
	await remove(`wallets/${owner.profile.canonicalWalletId}`, owner.token);
	expect([await statusOf(thief.token), await statusOf(owner.token)]).toEqual([401, 200]);
	const { body: other } = await own.fixture.signIn(keyOf(7));
	const { body: second } = await own.fixture.signIn(keyOf(7));
	await remove("social", other.token);
	expect([await statusOf(second.token), await statusOf(other.token)]).toEqual([401, 200]);
});

test("[TRD-09] of two simultaneous requests to unlink one wallet one gets 200 and one 404", async () => {
	const { body } = await own.fixture.signIn(keyOf(8));
	const path = `wallets/${body.profile.canonicalWalletId}`;
	const answers = await Promise.all([remove(path, body.token), remove(path, body.token)]);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
});
