import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { recoverMessageAddress, recoverTypedDataAddress } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { createQuorums } from "#plugins/custody/createCustody.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { QUORUM_REMEMBERED_MS, QUORUMS_REMEMBERED_MAX } from "#plugins/custody/limits.ts";
import { custodyLab } from "#plugins/custody/testing/custodyLab.ts";
import { sampleTransaction } from "#plugins/custody/testing/sampleTransaction.ts";
import type { ProviderClient } from "#plugins/custody/wire.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { until } from "#test/harness/until.ts";
import type { CustodyFaultOrder } from "#test/sandbox/custody/CustodyFault.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

describe("createCustody", () => {
	let anvil: Anvil;
	let emulator: CustodyEmulator;
	let lab: ReturnType<typeof custodyLab>;
	let turn = 0;
	const { signal } = new AbortController();
	const SECRET = "c4n4ry-app-secret";

	beforeAll(async () => {
		anvil = await startAnvil();
		emulator = await startCustodyEmulator({ rpcUrl: anvil.url, appSecret: SECRET });
	});

	afterAll(async () => {
		await emulator?.stop();
		await anvil?.stop();
	});

	beforeEach(() => {
		emulator.clearFaults();
		emulator.clearCalls();
		lab = custodyLab(emulator);
	});

	function lower(address: string): Address {
		return `0x${address.slice(2).toLowerCase()}`;
	}

	/** A send of the next nonce of ada's wallet. */
	async function request(changed: { timeoutMs?: number; validForMs?: number } = {}) {
		const { wallet } = emulator.person("ada");
		if (!wallet) throw new Error("ada has a wallet");
		await anvil.mined();
		const nonce = Number(await anvil.rpc("eth_getTransactionCount", [wallet.address, "latest"]));
		turn += 1;
		return {
			providerWalletId: wallet.id,
			transaction: sampleTransaction(lower(wallet.address), nonce),
			referenceId: `ref-${process.pid}-${turn}`,
			validUntilMs: Date.now() + (changed.validForMs ?? 60_000),
			signal,
		};
	}

	const sends = () => emulator.transactions().filter(({ broadcasts }) => broadcasts > 0).length;
	const posts = () =>
		Object.entries(emulator.calls().byPath)
			.filter(([path]) => path.startsWith("POST"))
			.reduce((sum, [, count]) => sum + count, 0);

	describe("sending", () => {
		test("sending puts exactly the given transaction on the chain, with its nonce", async () => {
			const asked = await request();
			asked.transaction.data = "0xdeadbeef";
			const outcome = await lab.custody.send(asked);
			if (outcome.kind !== "sent") throw new Error(JSON.stringify(outcome));
			const { transactionHash, transactionId } = outcome;
			await anvil.mined();
			const mined = await anvil.rpc<Record<string, Hex>>("eth_getTransactionByHash", [
				transactionHash,
			]);
			expect(mined).toMatchObject({
				from: asked.transaction.from,
				to: asked.transaction.to,
				input: "0xdeadbeef",
				value: "0x1",
				nonce: `0x${asked.transaction.nonce.toString(16)}`,
				gas: `0x${asked.transaction.gasLimit.toString(16)}`,
				maxFeePerGas: `0x${asked.transaction.maxFeePerGas.toString(16)}`,
				chainId: "0x7a69",
			});
			const trace = { transactionHash, transactionId, status: "confirmed" };
			expect(await lab.custody.byReference(asked.referenceId, signal)).toMatchObject(
				trace as never,
			);
			expect(await lab.custody.byId(transactionId ?? "", signal)).toMatchObject(trace as never);
		});

		test("an amount beyond 2^53 is sent exactly", async () => {
			const asked = await request();
			asked.transaction.valueRaw = 9_007_199_254_740_993n;
			const outcome = await lab.custody.send(asked);
			if (outcome.kind !== "sent") throw new Error(JSON.stringify(outcome));
			const mined = await anvil.rpc<{ value: Hex }>("eth_getTransactionByHash", [
				outcome.transactionHash,
			]);
			expect(BigInt(mined.value)).toBe(9_007_199_254_740_993n);
		});

		test("a transaction whose time to send is over is refused, and no request is made", async () => {
			const asked = await request();
			const given = { ...asked, validUntilMs: Date.now() - 1 };
			const wrong = [
				given,
				{ ...asked, signal: AbortSignal.abort() },
				{ ...asked, validUntilMs: Number.NaN },
				{ ...asked, referenceId: "a b" },
				{ ...asked, referenceId: "r".repeat(65) },
				{ ...asked, providerWalletId: ".." },
				{ ...asked, transaction: { ...asked.transaction, valueRaw: -1n } },
			];
			for (const one of wrong) {
				expect(await lab.custody.send(one)).toMatchObject({ kind: "refused", code: "not_sent" });
			}
			expect(posts()).toBe(0);
		});

		test("sending for a wallet that is not delegated, is archived or belongs to somebody else sends nothing", async () => {
			const asked = await request();
			const ben = emulator.person("ben").wallet?.id ?? "";
			const notOurs = await lab.custody.send({ ...asked, providerWalletId: ben });
			const code = "zero_correct_authorization_signatures";
			expect(notOurs).toMatchObject({ kind: "refused", code });
			const missing = await lab.custody.send({ ...asked, providerWalletId: "nobodys" });
			expect(missing).toMatchObject({ kind: "refused", code: "http_404" });
			const emil = emulator.person("emil").wallet?.id ?? "";
			// A 400 without a code proves nothing, true as it may be.
			const archived = await lab.custody.send({ ...asked, providerWalletId: emil });
			expect(archived.kind).toBe("unknown");
		});

		test("sending with a wrong key, secret or application is refused", async () => {
			const stranger = await startCustodyEmulator({ rpcUrl: anvil.url });
			const { authorizationKey } = stranger;
			await stranger.stop();
			for (const access of [
				{ ...emulator, authorizationKey },
				{ ...emulator, appSecret: "another-secret" },
				{ ...emulator, appId: "another" },
			]) {
				const outcome = await custodyLab(access).custody.send(await request());
				expect(outcome.kind).toBe("refused");
			}
		});

		test("sending more than the wallet's balance is refused with the provider's code", async () => {
			const asked = await request();
			asked.transaction.valueRaw = 10n ** 30n;
			const outcome = await lab.custody.send(asked);
			expect(outcome).toMatchObject({ kind: "refused", code: "insufficient_funds" });
		});

		test("a second send with the same reference is unknown, and sends no second transaction", async () => {
			const asked = await request();
			const first = await lab.custody.send(asked);
			const before = sends();
			// The same body under the same key: the first answer again.
			expect(await lab.custody.send(asked)).toEqual(first);
			const { transaction } = asked;
			const other = { ...asked, transaction: { ...transaction, nonce: transaction.nonce + 1 } };
			expect((await lab.custody.send(other)).kind).toBe("unknown");
			expect(sends()).toBe(before);
		});
	});

	describe("a send that goes wrong", () => {
		const kinds: [string, CustodyFaultOrder, "unknown" | "sent", number][] = [
			["a 500 before broadcasting", { kind: "status", status: 500 }, "unknown", 0],
			["a 500 after broadcasting", { kind: "status", status: 500, when: "after" }, "unknown", 1],
			["a 503 after broadcasting", { kind: "status", status: 503, when: "after" }, "unknown", 1],
			["a 429", { kind: "status", status: 429, retryAfter: 1 }, "unknown", 0],
			["a 429 after broadcasting", { kind: "status", status: 429, when: "after" }, "unknown", 1],
			["a 408 after broadcasting", { kind: "status", status: 408, when: "after" }, "unknown", 1],
			["a 409", { kind: "status", status: 409, when: "after" }, "unknown", 1],
			[
				"a broadcast failure that was none",
				{ kind: "status", status: 400, code: "transaction_broadcast_failure", when: "after" },
				"unknown",
				1,
			],
			["silence", { kind: "silence" }, "unknown", 0],
			["silence after broadcasting", { kind: "silence", when: "after" }, "unknown", 1],
			[
				"an answer that comes too late",
				{ kind: "slow", delayMs: 2_000, when: "after" },
				"unknown",
				1,
			],
			["a page", { kind: "html" }, "unknown", 0],
			["a page after broadcasting", { kind: "html", when: "after" }, "unknown", 1],
			["a 403 page after broadcasting", { kind: "html", status: 403, when: "after" }, "unknown", 1],
			["half an answer", { kind: "truncated" }, "unknown", 1],
			["wrong types", { kind: "wrong_types" }, "unknown", 1],
			["sixteen megabytes", { kind: "huge", when: "after" }, "unknown", 1],
			["a malformed hash", { kind: "odd_hash" }, "unknown", 1],
			["another chain", { kind: "other_chain" }, "unknown", 1],
			["another reference", { kind: "other_reference" }, "unknown", 1],
			["a broadcast made twice", { kind: "twice" }, "sent", 1],
		];
		test.each(kinds)("%s", async (_, fault, kind, broadcast) => {
			// Only what never answers in time is given up soon: a busy machine is slow with the others.
			const isMute = fault.kind === "silence" || fault.kind === "slow";
			const quick = custodyLab(emulator, { timeoutMs: isMute ? 1_000 : 20_000 });
			const asked = await request();
			const before = sends();
			emulator.fault({ ...fault, path: "^POST", times: 1 });
			const outcome = await quick.custody.send(asked);
			expect(outcome.kind).toBe(kind);
			await until(() => sends() - before >= broadcast, "the provider did what it was asked");
			// Whatever was told: it was asked once.
			expect(posts()).toBe(1);
			expect(sends() - before).toBe(broadcast);
			// And what became of it can be looked up.
			await anvil.mined();
			const trace = await lab.custody.byReference(asked.referenceId, signal);
			expect(trace?.status ?? null).toBe(broadcast ? "confirmed" : null);
		});

		test("a hash of another transaction is returned as sent, and the look-up returns the right one", async () => {
			const asked = await request();
			emulator.fault({ kind: "other_hash", path: "^POST", times: 1 });
			const outcome = await lab.custody.send(asked);
			const trace = await lab.custody.byReference(asked.referenceId, signal);
			expect(outcome.kind).toBe("sent");
			expect(outcome.kind === "sent" && outcome.transactionHash).not.toBe(
				trace?.transactionHash as never,
			);
		});

		test("a broadcast after our time-out is unknown, and then found by its reference", async () => {
			const quick = custodyLab(emulator, { timeoutMs: 100 });
			let meanwhile: unknown;
			// On a busy machine it may be broadcast before anybody looks: then it is later the next time.
			for (const delayMs of [300, 1_500, 7_500]) {
				const asked = await request();
				emulator.fault({ kind: "late_broadcast", delayMs, path: "^POST", times: 1 });
				expect((await quick.custody.send(asked)).kind).toBe("unknown");
				const seen = await lab.custody.byReference(asked.referenceId, signal);
				await emulator.idle();
				await anvil.mined();
				const trace = await lab.custody.byReference(asked.referenceId, signal);
				expect(trace?.status).toBe("confirmed");
				meanwhile = seen;
				if (seen?.status === "pending" && seen.transactionHash === null) break;
			}
			expect(meanwhile).toMatchObject({ status: "pending", transactionHash: null });
		});

		test("a transaction that would be broadcast after its expiry is never broadcast", async () => {
			const quick = custodyLab(emulator, { timeoutMs: 100 });
			const asked = await request({ validForMs: 150 });
			const before = sends();
			emulator.fault({ kind: "late_broadcast", delayMs: 300, path: "^POST", times: 1 });
			expect((await quick.custody.send(asked)).kind).toBe("unknown");
			await emulator.idle();
			expect(sends()).toBe(before);
			const trace = await lab.custody.byReference(asked.referenceId, signal);
			expect(trace).toMatchObject({ status: "failed", transactionHash: null });
		});

		test("a valid answer that is too long is unknown", async () => {
			const asked = await request();
			const data = { hash: `0x${"ab".repeat(32)}`, caip2: "eip155:31337" };
			const answer = JSON.stringify({ method: "eth_sendTransaction", data });
			let padding = 0;
			const server = Bun.serve({
				port: 0,
				fetch: () => new Response(" ".repeat(padding) + answer),
			});
			const { custody } = custodyLab({ ...emulator, url: `http://127.0.0.1:${server.port}` });
			expect((await custody.send(asked)).kind).toBe("sent");
			padding = 300_000;
			expect((await custody.send(asked)).kind).toBe("unknown");
			await server.stop(true);
		});

		test("a send that is aborted while it runs is unknown at once", async () => {
			const asked = await request();
			const leaving = new AbortController();
			emulator.fault({ kind: "silence", when: "after", path: "^POST", times: 1 });
			const sending = lab.custody.send({ ...asked, signal: leaving.signal });
			leaving.abort();
			expect((await sending).kind).toBe("unknown");
			// Whoever leaves is no failure of the provider's; whose time runs out is one, and is told.
			expect(lab.lines).toEqual([]);
			emulator.fault({ kind: "silence", when: "after", path: "^POST", times: 1 });
			const late = { ...(await request()), signal: AbortSignal.timeout(50) };
			expect((await lab.custody.send(late)).kind).toBe("unknown");
			expect(lab.lines).toMatchObject([{ context: { endpoint: "send" } }]);
		});

		test("a send whose connection breaks is requested once: no layer below repeats a POST", async () => {
			let requests = 0;
			const server = createServer((socket) => {
				let text = "";
				socket.on("error", () => {});
				socket.on("data", (bytes) => {
					text += bytes.toString();
					const end = text.indexOf("\r\n\r\n");
					const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
					if (end < 0 || text.length < end + 4 + length) return;
					text = "";
					requests += 1;
					const body = '{"error":"x"}';
					const answer = `HTTP/1.1 404 Not Found\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
					// The first is answered and its connection kept; the second is cut without a word.
					if (requests === 1) socket.write(answer);
					else socket.destroy();
				});
			});
			await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
			const address = server.address();
			const port = typeof address === "object" ? address?.port : 0;
			const { custody } = custodyLab({ ...emulator, url: `http://127.0.0.1:${port}` });
			expect((await custody.send(await request())).kind).toBe("refused");
			expect((await custody.send(await request())).kind).toBe("unknown");
			expect(requests).toBe(2);
			server.close();
		});

		test("[SEC-09] a redirect is not followed, so no other host gets the secret or the signature", async () => {
			let elsewhere = 0;
			const other = Bun.serve({
				port: 0,
				fetch() {
					elsewhere += 1;
					return new Response("{}");
				},
			});
			for (const status of [301, 307, 308]) {
				const headers = { location: `http://127.0.0.1:${other.port}/` };
				const server = Bun.serve({ port: 0, fetch: () => new Response(null, { status, headers }) });
				const { custody } = custodyLab({ ...emulator, url: `http://127.0.0.1:${server.port}` });
				expect((await custody.send(await request())).kind).toBe("unknown");
				await expect(custody.byId("t", signal)).rejects.toThrow("wallet_provider_unavailable");
				await server.stop(true);
			}
			expect(elsewhere).toBe(0);
			await other.stop(true);
		});
	});

	describe("looking up", () => {
		test("a look-up is null only if the provider does not know the object, never after a bad answer", async () => {
			expect(await lab.custody.byId("00000000-none", signal)).toBeNull();
			expect(await lab.custody.byReference("none", signal)).toBeNull();
			expect(await lab.custody.user("did:privy:none", signal)).toBeNull();
			expect(await lab.custody.wallet("none", signal)).toBeNull();
			const asked = await request();
			await lab.custody.send(asked);
			const wrong: [CustodyFaultOrder, string][] = [
				[{ kind: "html", status: 404 }, "wallet_provider_unreadable"],
				[{ kind: "html" }, "wallet_provider_unreadable"],
				[{ kind: "truncated" }, "wallet_provider_unreadable"],
				[{ kind: "wrong_types" }, "wallet_provider_unreadable"],
				[{ kind: "huge" }, "wallet_provider_unreadable"],
				[{ kind: "status", status: 500 }, "wallet_provider_unavailable"],
				[{ kind: "status", status: 429 }, "rate_limited"],
				[{ kind: "status", status: 401 }, "wallet_provider_refused"],
			];
			for (const [fault, code] of wrong) {
				emulator.fault({ ...fault, path: "^GET", times: 1 });
				const thrown = await lab.custody.byReference(asked.referenceId, signal).catch((e) => e);
				expect(thrown).toMatchObject({ code });
			}
			// It lags: this is why null is no proof.
			emulator.fault({ kind: "empty_lookup", path: "reference_id", times: 1 });
			expect(await lab.custody.byReference(asked.referenceId, signal)).toBeNull();
			emulator.fault({ kind: "twice", path: "reference_id", times: 1 });
			expect(await lab.custody.byReference(asked.referenceId, signal)).not.toBeNull();
		});

		test("a user is read with all accounts, embedded and others", async () => {
			const cleo = emulator.person("cleo");
			const user = await lab.custody.user(cleo.id, signal);
			expect(user).toEqual({
				id: cleo.id,
				accounts: [
					{ type: "social", subject: cleo.subject ?? "", username: "cleo" },
					{
						type: "wallet",
						address: lower(cleo.wallet?.address ?? ""),
						providerWalletId: cleo.wallet?.id ?? "",
					},
					{ type: "wallet", address: lower(cleo.external ?? ""), providerWalletId: null },
				],
			});
		});

		test("a wallet counts as delegated if our key alone may sign for it", async () => {
			const states = await Promise.all(
				["ada", "ben", "emil"].map((name) =>
					lab.custody.wallet(emulator.person(name).wallet?.id ?? "", signal),
				),
			);
			expect(states).toMatchObject([
				{ isDelegated: true, isArchived: false },
				{ isDelegated: false, isArchived: false },
				{ isDelegated: true, isArchived: true },
			]);
			// Quorums are remembered: a second look is one call.
			emulator.clearCalls();
			await lab.custody.wallet(emulator.person("ada").wallet?.id ?? "", signal);
			expect(emulator.calls().total).toBe(1);
			const stranger = await startCustodyEmulator({ rpcUrl: anvil.url });
			const { authorizationKey } = stranger;
			await stranger.stop();
			const other = custodyLab({ ...emulator, authorizationKey });
			const wallet = await other.custody.wallet(emulator.person("ada").wallet?.id ?? "", signal);
			expect(wallet?.isDelegated).toBe(false);
		});
	});

	describe("signing", () => {
		const rest = () => ({
			providerWalletId: emulator.person("ada").wallet?.id ?? "",
			idempotencyKey: `sign-${process.pid}-${turn++}`,
			signal,
		});

		test("the signature of a message, as text and as bytes, is the wallet's", async () => {
			const address = emulator.person("ada").wallet?.address;
			for (const message of ["héllo\n", new Uint8Array([0, 255, 10])]) {
				const signature = await lab.custody.signMessage({ ...rest(), message });
				const raw = typeof message === "string" ? message : { raw: message };
				expect(await recoverMessageAddress({ message: raw, signature })).toBe(address as never);
			}
		});

		test("the signature of typed data with amounts beyond 2^53 is the wallet's", async () => {
			const typedData = {
				domain: { name: "Permit", chainId: 31_337 },
				types: { Permit: [{ name: "value", type: "uint256" }] },
				primaryType: "Permit" as const,
				message: { value: 2n ** 255n + 1n },
			};
			const signature = await lab.custody.signTypedData({ ...rest(), typedData });
			expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(
				emulator.person("ada").wallet?.address as never,
			);
		});

		test("a signing that goes wrong gives a fault and no signature", async () => {
			const wrong: [CustodyFaultOrder, string][] = [
				[{ kind: "status", status: 500, when: "after" }, "wallet_provider_unavailable"],
				[{ kind: "html" }, "wallet_provider_unreadable"],
				[{ kind: "wrong_types" }, "wallet_provider_unreadable"],
			];
			for (const [fault, code] of wrong) {
				emulator.fault({ ...fault, path: "^POST", times: 1 });
				const thrown = await lab.custody.signMessage({ ...rest(), message: "m" }).catch((e) => e);
				expect(thrown).toMatchObject({ code });
			}
			const missing = lab.custody.signMessage({
				...rest(),
				providerWalletId: "none",
				message: "m",
			});
			await expect(missing).rejects.toThrow("wallet_provider_refused");
			const odd = lab.custody.signMessage({ ...rest(), idempotencyKey: "a\nb", message: "m" });
			await expect(odd).rejects.toThrow("wallet_provider_refused");
		});
	});

	describe("access tokens", () => {
		test("access tokens are verified with the configured key, or with the published keys", async () => {
			const { id } = emulator.person("ada");
			for (const verificationKey of [emulator.verificationKey, null]) {
				const { custody } = custodyLab({ ...emulator, verificationKey });
				const token = emulator.token({ userId: id });
				expect((await custody.verifyAccessToken(token)).userId).toBe(id);
				const old = emulator.token({ userId: id, expiresInS: -1 });
				await expect(custody.verifyAccessToken(old)).rejects.toThrow("unauthorized");
			}
		});

		test("[SEC-07] published keys are fetched without the application's secret", async () => {
			const seen: Headers[] = [];
			const server = Bun.serve({
				port: 0,
				fetch(request) {
					seen.push(request.headers);
					return Response.json({ keys: [] });
				},
			});
			const url = `http://127.0.0.1:${server.port}`;
			const { custody } = custodyLab({ ...emulator, url, verificationKey: null });
			const token = emulator.token({ userId: "did:privy:x" });
			await expect(custody.verifyAccessToken(token)).rejects.toThrow("unauthorized");
			expect(seen).toHaveLength(1);
			expect(seen[0]?.get("authorization")).toBeNull();
			await server.stop(true);
		});
	});

	describe("secrets", () => {
		test("[SEC-07, SEC-09] secrets are in no outcome, fault, log or metric, whatever the provider repeats", async () => {
			const seen: string[] = [];
			const token = emulator.token({ userId: "did:privy:x" });
			const server = Bun.serve({
				port: 0,
				// The worst provider: it says back all that it was told, in each member that we read.
				async fetch(request) {
					const body = await request.text();
					const headers = Object.fromEntries(request.headers);
					seen.push(JSON.stringify({ headers, body }));
					const echo = JSON.stringify({ headers, body });
					const turn = seen.length % 4;
					const status = [400, 401, 500, 200][turn] ?? 200;
					const said = { error: echo, code: headers["authorization"], method: echo, id: echo };
					return Response.json({ ...said, status: echo, echo }, { status });
				},
			});
			const url = `http://127.0.0.1:${server.port}`;
			const worst = custodyLab({ ...emulator, url, verificationKey: null });
			const kept: unknown[] = [];
			const rest = { providerWalletId: "w", idempotencyKey: "k", signal };
			for (let n = 0; n < 8; n++) {
				kept.push(await worst.custody.send(await request()));
				for (const call of [
					() => worst.custody.byReference("r", signal),
					() => worst.custody.byId("t", signal),
					() => worst.custody.user("u", signal),
					() => worst.custody.wallet("w", signal),
					() => worst.custody.signMessage({ ...rest, message: "c4n4ry-message" }),
					() => worst.custody.verifyAccessToken(token),
				]) {
					kept.push(await call().catch((error: unknown) => Bun.inspect(error, { depth: 10 })));
				}
			}
			kept.push(worst.lines, (await worst.metrics.expose()).body);
			const told = JSON.stringify(kept);
			const basic = Buffer.from(`${emulator.appId}:${SECRET}`).toString("base64");
			const sent = seen.join("\n");
			// The canaries were really there to be told.
			expect(sent).toContain(basic);
			const signatures = [...sent.matchAll(/authorization-signature\\?":\\?"([^"\\]+)/g)];
			expect(signatures.length).toBeGreaterThan(8);
			const key = emulator.authorizationKey.replace("wallet-auth:", "");
			const canaries = [SECRET, basic, token, key, "c4n4ry-message", "personal_sign"];
			for (const canary of [...canaries, ...signatures.map((match) => match[1] ?? "none")]) {
				expect(told).not.toContain(canary);
			}
			// The key itself was not even sent.
			expect(sent).not.toContain(key);
			await server.stop(true);
		});
	});
});

describe("createQuorums", () => {
	const KEY = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE";
	const { signal } = new AbortController();

	function open(answerOf: (id: string) => unknown) {
		const state = { nowMs: 0, asked: 0 };
		const client: ProviderClient = {
			urlOf: (path) => path,
			async ask() {
				throw custodyFault.off();
			},
			async read({ path }) {
				state.asked += 1;
				const json = answerOf(path.split("/").at(-1) ?? "");
				return json === null ? null : { json };
			},
			unreadable: () => custodyFault.unreadable(),
		};
		const clock = { nowMs: () => state.nowMs };
		return { state, quorums: createQuorums({ client, publicKey: KEY, clock }) };
	}

	const quorum = (id: string, keys: string[], threshold: number | null = null) => ({
		id,
		authorization_threshold: threshold,
		authorization_keys: keys.map((public_key) => ({ public_key, display_name: null })),
		user_ids: ["somebody"],
	});

	test("a quorum is ours if our key alone can sign for it", async () => {
		const pem = `-----BEGIN PUBLIC KEY-----\n${KEY.slice(0, 20)}\n${KEY.slice(20)}\n-----END PUBLIC KEY-----\n`;
		const answers: [unknown, boolean][] = [
			[quorum("q", ["other", KEY]), true],
			[quorum("q", [KEY], 1), true],
			[quorum("q", [pem]), true],
			[quorum("q", [KEY, "other"], 2), false],
			[quorum("q", ["other", `${KEY}A`, KEY.slice(1)]), false],
			[quorum("q", []), false],
			[null, false],
		];
		for (const [answer, isOurs] of answers) {
			expect(await open(() => answer).quorums.isOurs("q", signal)).toBe(isOurs);
		}
	});

	test("an answer about another quorum, or an unreadable one, is not used", async () => {
		for (const answer of [quorum("r", [KEY]), {}, [], "q"]) {
			const { quorums, state } = open(() => answer);
			await expect(quorums.isOurs("q", signal)).rejects.toThrow("wallet_provider_unreadable");
			await expect(quorums.isOurs("q", signal)).rejects.toThrow("wallet_provider_unreadable");
			expect(state.asked).toBe(2);
		}
	});

	test("a bounded number of quorums is remembered, for ten minutes", async () => {
		const { quorums, state } = open((id) => quorum(id, [KEY]));
		await quorums.isOurs("q0", signal);
		await quorums.isOurs("q0", signal);
		expect(state.asked).toBe(1);
		state.nowMs += QUORUM_REMEMBERED_MS;
		await quorums.isOurs("q0", signal);
		expect(state.asked).toBe(2);
		for (let n = 1; n <= QUORUMS_REMEMBERED_MAX; n++) await quorums.isOurs(`q${n}`, signal);
		state.asked = 0;
		await quorums.isOurs(`q${QUORUMS_REMEMBERED_MAX}`, signal);
		expect(state.asked).toBe(0);
		await quorums.isOurs("q0", signal);
		expect(state.asked).toBe(1);
	});
});
