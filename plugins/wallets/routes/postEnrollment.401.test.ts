import { expect, test } from "bun:test";
import { keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";
import { fakeCustody } from "#test/harness/fakeCustody.ts";

const own = identityOfFile();
test("[TRD-09] without the provider's access token nobody is enrolled", async () => {
	const { body: signed } = await own.fixture.signIn(keyOf(1));
	const attempts = [
		{},
		{ bearer: "wrong" },
		{ bearer: signed.token },
		{ cookie: `__Host-session=${signed.token}` },
		{ body: {} },
		{ body: { accessToken: signed.token } },
		{ body: { accessToken: "wrong" } },
	];
	for (const attempt of attempts) {
		const { status, body } = await own.fixture.call("/enrollment", { method: "POST", ...attempt });
		expect({ attempt, status, code: body.code }).toEqual({
			attempt,
			status: 401,
			code: "unauthorized",
		});
	}
	const [row] = await own.fixture.db.query<{ profiles: number }>(
		"select count(*)::int as profiles from wallets.profile",
	);
	expect(row).toEqual({ profiles: 1 });
});

test("[SEC-04] a provider that is away is said to be, and nothing is made or told", async () => {
	const { provider } = own.fixture;
	const token = provider.user("u-1", []);
	provider.waits.user = async () => {
		await fakeCustody().user("u-1", new AbortController().signal);
	};
	const { status, body, text } = await own.fixture.enrol(token);
	provider.waits.user = async () => {};
	expect({ status, code: body.code }).toEqual({ status: 503, code: "wallet_provider_off" });
	expect(text).not.toContain(token);
});
