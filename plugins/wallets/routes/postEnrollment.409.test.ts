import { expect, test } from "bun:test";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
const everything = () =>
	own.fixture.db.query(
		`select (select json_agg(p order by p.id) from wallets.profile as p)::text as profiles,
			(select json_agg(w order by w.id) from wallets.wallet as w)::text as wallets,
			(select count(*) from wallets.session)::int as sessions`,
	);

test("[TRD-09] a social account is one profile's: another user of the provider is refused", async () => {
	const { provider } = own.fixture;
	await own.fixture.enrol(provider.user("u-1", [provider.social("s-1")]));
	const before = await everything();
	const { status, body } = await own.fixture.enrol(provider.user("u-2", [provider.social("s-1")]));
	expect({ status, code: body.code }).toEqual({ status: 409, code: "social_linked_elsewhere" });
	expect(await everything()).toEqual(before);
});

test("[TRD-09] an address is one profile's, by whatever way it came there", async () => {
	const { provider } = own.fixture;
	await own.fixture.enrol(provider.user("u-3", [provider.embedded("w-1", addressOf(1), true)]));
	const before = await everything();
	const attempts = [
		[provider.external(addressOf(1))],
		[provider.embedded("w-2", addressOf(1), true)],
		[provider.external(addressOf(2)), provider.external(addressOf(1))],
	];
	for (const [index, accounts] of attempts.entries()) {
		const { status, body } = await own.fixture.enrol(provider.user(`u-4-${index}`, accounts));
		expect({ status, code: body.code }).toEqual({ status: 409, code: "wallet_linked_elsewhere" });
	}
	expect(await everything()).toEqual(before);
});

test("two profiles that were made by signing are not melted into one", async () => {
	const { provider } = own.fixture;
	const { body: one } = await own.fixture.signIn(keyOf(3));
	const { body: other } = await own.fixture.signIn(keyOf(4));
	expect(one.profile.id).not.toBe(other.profile.id);
	const token = provider.user("u-5", [
		provider.external(addressOf(3)),
		provider.external(addressOf(4)),
	]);
	const { status, body } = await own.fixture.enrol(token);
	expect({ status, code: body.code }).toEqual({ status: 409, code: "wallet_linked_elsewhere" });
	expect((await own.fixture.call("/profile", { bearer: one.token })).body).toEqual(one.profile);
});

test("an answer to a conflict says nothing of whose it is", async () => {
	const { provider } = own.fixture;
	const { text } = await own.fixture.enrol(provider.user("u-6", [provider.social("s-1")]));
	const [owner] = await own.fixture.db.query<{ id: string }>(
		"select id from wallets.profile where social_user_id = 's-1'",
	);
	expect(owner?.id).toBeString();
	expect(text).not.toContain(owner?.id ?? "");
	expect(text).not.toMatch(/u-\d/);
});
