import { expect, test } from "bun:test";
import { privateKeyToAccount } from "viem/accounts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { SiweMessage } from "#plugins/wallets/siwe/SiweMessage.ts";
import { keyOf, NOW_MS, openIdentity } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

const own = identityOfFile();
const account = privateKeyToAccount(keyOf(1));
const at = (offsetSeconds: number) => new Date(NOW_MS + offsetSeconds * 1_000).toISOString();

async function send(message: string, signature: string) {
	const { status, body } = await own.fixture.call("/siwe/verify", { body: { message, signature } });
	return { status, code: body.code };
}

async function sessions(): Promise<number> {
	const rows = await own.fixture.db.query<{ open: number }>(
		"select count(*)::int as open from wallets.session",
	);
	return rows[0]?.open ?? 0;
}

test("[TRD-10] [TRD-14] a message for another page, chain or time signs nobody in", async () => {
	const wrong: [changes: Partial<SiweMessage>, code: string][] = [
		[{ domain: "evil.example", uri: "https://evil.example" }, "siwe_domain"],
		[{ uri: "https://evil.example" }, "siwe_uri"],
		[{ chainId: 1 }, "siwe_chain"],
		[{ issuedAt: at(120) }, "siwe_not_yet_valid"],
		[{ issuedAt: at(-3_600) }, "siwe_expired"],
		[{ expirationTime: at(-1) }, "siwe_expired"],
		[{ notBefore: at(3_600) }, "siwe_not_yet_valid"],
		[{ expirationTime: at(30 * 86_400) }, "siwe_lifetime"],
	];
	for (const [changes, code] of wrong) {
		const { status, body, headers } = await own.fixture.signIn(keyOf(1), changes);
		expect({ changes, status, code: body.code }).toEqual({ changes, status: 401, code });
		expect(headers.get("set-cookie")).toBeNull();
	}
	expect(await sessions()).toBe(0);
});

test("[TRD-10] a nonce that is not ours, was used, or is older than ten minutes is refused", async () => {
	const unknown = await own.fixture.signIn(keyOf(1), { nonce: "abcdefgh12345678" });
	expect(unknown).toMatchObject({ status: 401, body: { code: "siwe_nonce" } });

	const message = await own.fixture.messageOf(account.address);
	const signature = await account.signMessage({ message });
	expect((await send(message, signature)).status).toBe(200);
	expect(await send(message, signature)).toEqual({ status: 401, code: "siwe_nonce" });

	const late = await own.fixture.messageOf(account.address);
	const lateSignature = await account.signMessage({ message: late });
	own.fixture.clock.ms = NOW_MS + 600_000;
	expect(await send(late, lateSignature)).toEqual({ status: 401, code: "siwe_nonce" });
	own.fixture.clock.ms = NOW_MS;
});

test("[TRD-10] a signature by another key, of another text or of none is refused", async () => {
	const stranger = privateKeyToAccount(keyOf(2));
	const make = () => own.fixture.messageOf(account.address);
	const of = async (message: string, signature: string) => send(message, signature);
	const one = await make();
	expect(await of(one, await stranger.signMessage({ message: one }))).toEqual({
		status: 401,
		code: "siwe_signature",
	});
	const two = await make();
	expect(await of(two, await account.signMessage({ message: `${two} ` }))).toEqual({
		status: 401,
		code: "siwe_signature",
	});
	for (const signature of ["0x00", `0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`]) {
		expect(await of(await make(), signature)).toEqual({ status: 401, code: "siwe_signature" });
	}
	const message = await make();
	const signature = await account.signMessage({ message });
	const other = message.replace(account.address, stranger.address);
	expect(await of(other, signature)).toEqual({ status: 401, code: "siwe_signature" });
	// The nonce was spent by the attempt: the right signature comes too late.
	expect(await of(message, signature)).toEqual({ status: 401, code: "siwe_nonce" });
});

test("each nonce has the chain asked once, and a node that is silent is not a wrong signature", async () => {
	let asked = 0;
	const rpc = {
		...createFakeChain().rpc,
		call: async () => {
			asked++;
			throw rpcFault.transport();
		},
	};
	const chained = await openIdentity(own.database.db, { rpc });
	const message = await chained.messageOf(account.address);
	const signature = `0x${"11".repeat(65)}`;
	const sent = { body: { message, signature } };
	const first = await chained.call("/siwe/verify", sent);
	expect(first).toMatchObject({ status: 503, body: { code: "rpc_transport" } });
	const second = await chained.call("/siwe/verify", sent);
	expect(second).toMatchObject({ status: 401, body: { code: "siwe_nonce" } });
	expect(asked).toBe(1);
});

test("a node that serves another chain is no wrong signature either, and has a code of its own", async () => {
	const call = async () => {
		throw rpcFault.wrongChain();
	};
	const chained = await openIdentity(own.database.db, { rpc: { ...createFakeChain().rpc, call } });
	const message = await chained.messageOf(account.address);
	const sent = { body: { message, signature: `0x${"11".repeat(65)}` } };
	const answer = await chained.call("/siwe/verify", sent);
	expect(answer).toMatchObject({ status: 503, body: { code: "chain_unavailable" } });
	expect(answer.body.detail).toContain("serves another chain");
});

test("adding a wallet needs a session, and does not use the nonce up without one", async () => {
	const message = await own.fixture.messageOf(account.address);
	const signature = await account.signMessage({ message });
	const body = { message, signature, link: true };
	expect(await own.fixture.call("/siwe/verify", { body })).toMatchObject({ status: 401 });
	expect((await send(message, signature)).status).toBe(200);
});

test("[TRD-09] a wallet of another profile is not added to this one", async () => {
	const { body: owner } = await own.fixture.signIn(keyOf(3));
	const { body } = await own.fixture.signIn(keyOf(4));
	const linking = { bearer: body.token, body: { link: true } };
	const taken = await own.fixture.signIn(keyOf(3), {}, linking);
	expect(taken).toMatchObject({ status: 409, body: { code: "wallet_linked_elsewhere" } });
	expect(taken.text).not.toContain(owner.profile.id);
	expect((await own.fixture.call("/profile", { bearer: body.token })).body).toEqual(body.profile);
});
