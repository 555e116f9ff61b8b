import { expect, test } from "bun:test";
import { keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
test("[TRD-09] another's wallet answers as one that never was, to the letter", async () => {
	const { body: owner } = await own.fixture.signIn(keyOf(1));
	const { body: other } = await own.fixture.signIn(keyOf(2));
	const theirs = owner.profile.wallets[0].id;
	const ask = async (id: string) => {
		const path = `/profile/wallets/${encodeURIComponent(id)}`;
		const { status, body } = await own.fixture.call(path, {
			method: "DELETE",
			bearer: other.token,
		});
		const { requestId: _, ...told } = body;
		return { status, told };
	};
	const missing = await ask(crypto.randomUUID());
	expect(missing).toMatchObject({ status: 404, told: { code: "not_found" } });
	for (const id of [theirs, "x", "' or 1=1 --", "0", "null"])
		expect(await ask(id)).toEqual(missing);
	expect((await own.fixture.call("/profile", { bearer: owner.token })).body).toEqual(owner.profile);
});
