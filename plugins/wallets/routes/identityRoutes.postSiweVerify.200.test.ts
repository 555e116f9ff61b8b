import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { privateKeyToAccount } from "viem/accounts";
import { type Rpc, rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { SiweMessage } from "#plugins/wallets/siwe/parseSiweMessage.ts";
import {
	addressOf,
	keyOf,
	NOW_MS,
	ORIGIN,
	openIdentity,
} from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

describe("postSiweVerify.200", () => {
	const own = identityOfFile();
	test("[TRD-10] [TRD-14] the nonce is returned with the values that the message must contain", async () => {
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

	test("[TRD-10] the same wallet signs in to the same profile, with a new token each time", async () => {
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
	test("[TRD-10] of several simultaneous sign-ins with one nonce one succeeds", async () => {
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

	test("[TRD-09] simultaneous first sign-ins of one wallet create one profile", async () => {
		const answers = await Promise.all([4, 4, 4, 4].map((key) => own.fixture.signIn(keyOf(key))));
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
		expect(new Set(answers.map(({ body }) => body.profile.id)).size).toBe(1);
	});

	test("[TRD-09] a wallet is added to the profile that requests it with its own session", async () => {
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

	test("a session alone adds no wallet: without a request, the wallet's own profile is signed in to", async () => {
		const { body: planted } = await own.fixture.signIn(keyOf(7));
		const cookie = `__Host-session=${planted.token}`;
		const { body } = await own.fixture.signIn(keyOf(8), {}, { cookie });
		expect(body.profile.id).not.toBe(planted.profile.id);
		const { body: again } = await own.fixture.signIn(keyOf(7));
		expect(again.profile.wallets).toHaveLength(1);
	});

	test("[TRD-10] a contract's signature is checked on the home chain, with the message's hash", async () => {
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
});

describe("postSiweVerify.401", () => {
	const own = identityOfFile();
	const account = privateKeyToAccount(keyOf(1));
	const at = (offsetSeconds: number) => new Date(NOW_MS + offsetSeconds * 1_000).toISOString();

	async function send(message: string, signature: string) {
		const { status, body } = await own.fixture.call("/siwe/verify", {
			body: { message, signature },
		});
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

	test("a nonce allows one call of the chain, and a silent node does not mean a wrong signature", async () => {
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

	test("a node of another chain does not mean a wrong signature, and has its own error code", async () => {
		const call = async () => {
			throw rpcFault.wrongChain();
		};
		const chained = await openIdentity(own.database.db, {
			rpc: { ...createFakeChain().rpc, call },
		});
		const message = await chained.messageOf(account.address);
		const sent = { body: { message, signature: `0x${"11".repeat(65)}` } };
		const answer = await chained.call("/siwe/verify", sent);
		expect(answer).toMatchObject({ status: 503, body: { code: "chain_unavailable" } });
		expect(answer.body.detail).toContain("serves another chain");
	});

	test("adding a wallet needs a session, and without one the nonce stays unused", async () => {
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
});

describe("postSiweVerify.422", () => {
	const own = identityOfFile();
	const account = privateKeyToAccount(keyOf(1));

	test("[TRD-10] [SEC-04] a text that only resembles a message is refused with the reason", async () => {
		const message = await own.fixture.messageOf(account.address);
		const texts = [
			"hello",
			`${message}\n`,
			message.replaceAll("\n", "\r\n"),
			message.replace(account.address, account.address.toLowerCase()),
			message.replace("Version: 1", "Version: 2"),
			message.replace(/\nChain ID: \d+/, ""),
			message.replace("Chain ID: 4663", "Chain ID: 0x1237"),
			message.replace(/Nonce: .*/, "Nonce: 1234567"),
			message.replace(/Issued At: .*/, "Issued At: today"),
			message.replace("Sign in.", "Melde dich an für ü."),
		];
		for (const text of texts) {
			const signature = await account.signMessage({ message: text });
			const { status, body, headers } = await own.fixture.call("/siwe/verify", {
				body: { message: text, signature },
			});
			expect({ text, status, code: body.code }).toEqual({
				text,
				status: 422,
				code: "siwe_message_invalid",
			});
			expect(body.issues).toEqual([{ path: "message", message: expect.any(String) }]);
			expect(headers.get("content-type")).toBe("application/problem+json");
		}
		// None of that cost the nonce.
		const signature = await account.signMessage({ message });
		expect((await own.fixture.call("/siwe/verify", { body: { message, signature } })).status).toBe(
			200,
		);
	});

	test("[SEC-04] a body of another form is refused, and the sent values are not repeated", async () => {
		const message = await own.fixture.messageOf(account.address);
		const signature = await account.signMessage({ message });
		const bad: [path: string, body: unknown][] = [
			["message", { signature }],
			["message", { message: "", signature }],
			["message", { message: 1, signature }],
			["message", { message: "c4n4ry".repeat(2_000), signature }],
			["signature", { message }],
			["signature", { message, signature: "c4n4ry" }],
			["signature", { message, signature: "0x" }],
			["signature", { message, signature: signature.slice(2) }],
			["signature", { message, signature: `${signature}c` }],
			["signature", { message, signature: `0x${"00".repeat(20_000)}` }],
			["link", { message, signature, link: "yes" }],
			["", []],
			["", "text"],
			["", null],
		];
		for (const [path, body] of bad) {
			const answer = await own.fixture.call("/siwe/verify", { body: JSON.stringify(body) });
			expect({ path, status: answer.status, code: answer.body.code }).toEqual({
				path,
				status: 422,
				code: "validation_error",
			});
			expect(answer.body.issues[0].path).toBe(path);
			expect(answer.text).not.toContain("c4n4ry");
		}
		const none = await own.fixture.call("/siwe/verify", { method: "POST" });
		expect(none.status).toBe(422);
	});
});
