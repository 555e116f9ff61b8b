import { expect, test } from "bun:test";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

const own = identityOfFile();
const requestWith = (headers: Record<string, string>) =>
	new Request("http://localhost/", { headers });

test("a session's bearer token identifies its profile, with its current wallets", async () => {
	const { body } = await own.fixture.signIn(keyOf(1));
	const speaking = requestWith({ authorization: `Bearer ${body.token}` });
	const { profile, sessionId } = await own.fixture.identity.service.authenticate(speaking);
	expect(sessionId).toBeString();
	expect(profile).toMatchObject({ id: body.profile.id, socialUserId: null, revision: 2 });
	expect(profile.wallets).toMatchObject([{ address: addressOf(1), profileId: profile.id }]);
});

test("the wallet provider's access token identifies the profile that it enrolled", async () => {
	const { provider, identity } = own.fixture;
	const token = provider.user("u-1", [provider.social("social-1", "ann")]);
	const speaking = requestWith({ authorization: `Bearer ${token}` });
	await expect(identity.service.authenticate(speaking)).rejects.toMatchObject({
		code: "unauthorized",
		status: 401,
	});
	const { body } = await own.fixture.enrol(token);
	const { profile, sessionId } = await identity.service.authenticate(speaking);
	expect({ id: profile.id, sessionId }).toEqual({ id: body.profile.id, sessionId: null });
});

test("a provider's token that names an account of the deployment is refused", async () => {
	const { provider, identity } = own.fixture;
	const token = provider.user("deployment:keeper", [provider.social("social-9")]);
	expect((await own.fixture.enrol(token)).status).toBe(401);
	const speaking = requestWith({ authorization: `Bearer ${token}` });
	await expect(identity.service.authenticate(speaking)).rejects.toMatchObject({ status: 401 });
});

test("a request with no token, a wrong one or another cookie has no caller", async () => {
	const { body } = await own.fixture.signIn(keyOf(1));
	const last = body.token.at(-1);
	const attempts: Record<string, string>[] = [
		{},
		{ authorization: "Bearer wrong" },
		{ authorization: `Bearer ${body.token.slice(0, -1)}${last === "A" ? "B" : "A"}` },
		{ authorization: `Bearer ${body.token}A` },
		{ authorization: body.token },
		{ authorization: `Basic ${body.token}` },
		{ cookie: `session=${body.token}` },
		{ cookie: `__Host-session=${body.token}x` },
		{ "x-session": body.token },
	];
	for (const headers of attempts) {
		const asked = own.fixture.identity.service.authenticate(requestWith(headers));
		await expect(asked).rejects.toMatchObject({ code: "unauthorized", status: 401 });
	}
});

test("[TRD-09] a social account leads to its profile, and an unlinked one to none", async () => {
	const { provider, identity } = own.fixture;
	const token = provider.user("u-2", [provider.social("social-2", "bob")]);
	const { body } = await own.fixture.enrol(token);
	const found = await identity.service.profileOfSocial("social-2");
	expect(found).toMatchObject({ id: body.profile.id, socialUsername: "bob" });
	expect(await identity.service.profileOfSocial("bob")).toBeNull();
	expect(await identity.service.profileOfSocial("")).toBeNull();
});

test("the agent's caller is null without credentials, and wrong ones are refused", async () => {
	const { callerOf, service } = own.fixture.identity;
	const { body } = await own.fixture.signIn(keyOf(3));
	const speaking = requestWith({ authorization: `Bearer ${body.token}` });
	expect(await callerOf(speaking)).toBe(body.profile.id);
	expect(await callerOf(requestWith({}))).toBeNull();
	for (const authorization of ["Bearer wrong", `Basic ${body.token}`]) {
		const asked = callerOf(requestWith({ authorization }));
		await expect(asked).rejects.toMatchObject({ code: "unauthorized" });
	}
	const caller = { channel: "agent", authority: "author" } as const;
	const principal = await service.principalOf({ ...caller, profileId: body.profile.id });
	expect(principal).toMatchObject({ profile: { id: body.profile.id }, sessionId: null });
	for (const profileId of [null, crypto.randomUUID()]) {
		const asked = service.principalOf({ ...caller, profileId });
		await expect(asked).rejects.toMatchObject({ code: "unauthorized" });
	}
});
