import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import {
	addressOf,
	keyOf,
	NOW_MS,
	ORIGIN,
	openIdentity,
} from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

const own = identityOfFile();
test("[TRD-10] [TRD-14] the nonce comes with what the message has to say", async () => {
	const { status, body, headers } = await own.fixture.call("/siwe/nonce", { method: "POST" });
	expect({ status, body }).toEqual({
		status: 200,
		body: {
			nonce: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
			expiresAt: new Date(NOW_MS + 600_000).toISOString(),
			domain: "app.example",
			uri: ORIGIN,
			version: "1",
			chainId: 4663,
		},
	});
	expect(headers.get("cache-control")).toBe("no-store");
	const other = { method: "POST", headers: { origin: "https://other.example" } };
	expect((await own.fixture.call("/siwe/nonce", other)).body.domain).toBe("other.example");
});

test("[TRD-10] a signed message opens a session and makes a profile with that wallet", async () => {
	const { status, body, headers } = await own.fixture.signIn(keyOf(1));
	expect(status).toBe(200);
	expect(body.profile).toMatchObject({ social: null, requireTradeConfirmation: false });
	expect(body.profile.wallets).toEqual([
		{
			id: body.profile.canonicalWalletId,
			address: addressOf(1),
			chainId: 4663,
			capability: "external/manual",
			isCanonical: true,
			notionalUsdMax: null,
		},
	]);
	expect(body.expiresAt).toBe(new Date(NOW_MS + 7 * 86_400_000).toISOString());
	expect(headers.get("cache-control")).toBe("no-store");
	expect(headers.get("set-cookie")).toBe(
		`__Host-session=${body.token}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800`,
	);
	for (const how of [{ bearer: body.token }, { cookie: `__Host-session=${body.token}` }]) {
		expect((await own.fixture.call("/profile", how)).body).toEqual(body.profile);
	}
});

test("[TRD-10] the same wallet signs in to the same profile, with another token each time", async () => {
	const { body: first } = await own.fixture.signIn(keyOf(2));
	const { body: second } = await own.fixture.signIn(keyOf(2), {
		statement: null,
		resources: ["a:b"],
	});
	expect(second.profile).toEqual(first.profile);
	expect(second.token).not.toBe(first.token);
	const other = { domain: "other.example", uri: "https://other.example/" };
	expect((await own.fixture.signIn(keyOf(2), other)).body.profile).toEqual(first.profile);
});

// Guarantee: a nonce is worth one sign-in, whoever is quicker.
test("[TRD-10] of two that use one nonce at the same time, one signs in", async () => {
	const account = privateKeyToAccount(keyOf(3));
	for (let round = 0; round < 5; round++) {
		const message = await own.fixture.messageOf(account.address);
		const signature = await account.signMessage({ message });
		const send = () => own.fixture.call("/siwe/verify", { body: { message, signature } });
		const answers = await Promise.all([send(), send(), send()]);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
		const codes = answers.map(({ body }) => body.code).filter(Boolean);
		expect(codes).toEqual(["siwe_nonce", "siwe_nonce"]);
	}
});

test("[TRD-09] first sign-ins of one wallet at the same time make one profile", async () => {
	const answers = await Promise.all([4, 4, 4, 4].map((key) => own.fixture.signIn(keyOf(key))));
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
	expect(new Set(answers.map(({ body }) => body.profile.id)).size).toBe(1);
});

test("[TRD-09] a wallet is added to the profile that asks for it with its own session", async () => {
	const { body } = await own.fixture.signIn(keyOf(5));
	const linked = await own.fixture.signIn(
		keyOf(6),
		{},
		{ bearer: body.token, body: { link: true } },
	);
	expect(linked.status).toBe(200);
	expect(linked.body.profile.id).toBe(body.profile.id);
	expect(linked.body.profile.canonicalWalletId).toBe(body.profile.canonicalWalletId);
	const addresses = linked.body.profile.wallets.map((one: { address: string }) => one.address);
	expect(addresses).toEqual([addressOf(5), addressOf(6)]);
	// What a profile is made of has changed, so its session has another name.
	expect((await own.fixture.call("/profile", { bearer: body.token })).status).toBe(401);
	expect(own.fixture.audited.at(-1)).toMatchObject({
		actor: `profile:${body.profile.id}`,
		action: "wallets.wallet.linked",
		detail: { address: addressOf(6) },
	});
});

test("a session alone adds nothing: without asking, the wallet's own profile is signed in to", async () => {
	const { body: planted } = await own.fixture.signIn(keyOf(7));
	const cookie = `__Host-session=${planted.token}`;
	const { body } = await own.fixture.signIn(keyOf(8), {}, { cookie });
	expect(body.profile.id).not.toBe(planted.profile.id);
	const { body: again } = await own.fixture.signIn(keyOf(7));
	expect(again.profile.wallets).toHaveLength(1);
});

test("[TRD-10] a contract's word is asked of the home chain, with the message's hash", async () => {
	const asked: unknown[] = [];
	const rpc: Rpc = {
		...createFakeChain().rpc,
		call: async ({ method, params }) => {
			asked.push([method, params[1]]);
			return "0x01";
		},
	};
	const chained = await openIdentity(own.database.db, { rpc });
	const contract = privateKeyToAccount(keyOf(9)).address;
	const message = await chained.messageOf(contract);
	const signature = `0x${createHmac("sha256", "a").update("b").digest("hex")}`;
	const { status, body } = await chained.call("/siwe/verify", { body: { message, signature } });
	expect({ status, asked }).toEqual({ status: 200, asked: [["eth_call", "latest"]] });
	expect(body.profile.wallets).toMatchObject([{ address: addressOf(9) }]);
});
