import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { type BridgeLab, openBridgeLab, USDG } from "#test/harness/openBridgeLab.ts";
import { until } from "#test/harness/until.ts";
import { signBridgeWebhook } from "#test/sandbox/bridge/answerBridge.ts";
import { LIE_KINDS } from "#test/sandbox/bridge/BridgeFault.ts";
import { dollarAbi, solverAccount } from "#test/sandbox/bridge/BridgeWorld.ts";

/** Where trades go through on chain 4663, unless set otherwise. */
const TRADE_ROUTER = "0xcaf681a66d020601342297493863e78c959e5cb2";

// Guarantee: what a bridge says of its money is what both chains, and the provider's books, say.

const PATH = "/v1/bridges/intents";
const ETHER = 10n ** 18n;
const COMMAND = "bridge 0.1 eth from anvil to robinhood as USDG";
/** Longer than any test: it goes on when a test says. */
const HELD_MS = 600_000;
const OUT = 199_600_000n;
const ALICE = "0x00000000000000000000000000000000000a11ce";

let lab: BridgeLab;
let wallet: { id: string; address: string };

beforeAll(async () => {
	lab = await openBridgeLab();
	wallet = await lab.enrol();
});
afterAll(() => lab?.stop());
beforeEach(async () => {
	lab.bridge.clearFaults();
	// A fault is for the next deposit: those of tests before this one must have been seen.
	await lab.deposited();
	await lab.bridge.idle();
});

const entryOf = (requestId: string) =>
	lab.bridge.ledger().find((one) => one.requestId === requestId);
const bridge = async (body: object = { command: COMMAND }) => (await lab.ask(PATH, body)).body;
/** What the provider's books say was deposited, by all requests. */
const deposits = () => lab.bridge.ledger().flatMap((one) => one.deposits).length;

test("[BRG-14] [BRG-15] a command becomes a stored quote with its steps, a deposit, and money over there", async () => {
	const before = await lab.dollars(wallet.address);
	const { status, body } = await lab.ask(PATH, { command: COMMAND });
	expect({ status, code: body.errorCode, at: body.status }).toEqual({
		...{ status: 201, code: null, at: "executing" },
	});
	expect(body).toMatchObject({
		...{ amountRaw: String(ETHER / 10n), recipient: wallet.address, refundTo: wallet.address },
		origin: { chain: "anvil", symbol: "ETH" },
		destination: { chain: "robinhood", currency: USDG, decimals: 6 },
		quote: { expectedOutRaw: String(OUT), impactPercent: "-0.20", estimateSeconds: 2 },
	});
	expect(body.quote.fees.map((fee: any) => fee.name)).toContain("relayer");
	const [stored] = await lab.service.core.db.query<{ steps: unknown[]; before: boolean }>(
		`select q.steps, q.created_at <= i.created_at as before from bridge.quote as q
		join bridge.bridge as b on b.id = q.bridge_id
		join wallets.intent as i on i.id = b.intent_id where b.id = $1`,
		[body.id],
	);
	expect(stored).toMatchObject({ before: true, steps: [{ kind: "deposit" }] });
	const done = await lab.reached(body.id, ["success"]);
	expect(done.arrived).toMatchObject({
		...{ verified: true, chainId: 4_663, amountRaw: String(OUT), currency: USDG },
	});
	expect(await lab.dollars(wallet.address)).toBe(before + OUT);
	const entry = entryOf(done.quote.requestId);
	expect(entry?.deposits).toMatchObject([{ hash: done.depositHash, raw: ETHER / 10n }]);
	expect(entry?.fill?.hash).toBe(done.arrived.transactionHash);
	const { body: quote } = await lab.ask(`${PATH}/${body.id}/sdk-quote`);
	expect(quote).toMatchObject({ requestId: done.quote.requestId, order: { version: "v1" } });
});

describe("[BRG-01] chains, currencies and settings are told without a session", () => {
	test("the list of chains says what can be used now", async () => {
		const { body } = await lab.ask("/v1/bridges/chains", undefined, { as: null });
		expect(body).toMatchObject({ enabled: true, dryRun: false });
		expect(body.chains).toMatchObject([
			{ id: 10, slug: "optimism", canReceive: false, reason: "disabled" },
			{ id: 4_663, slug: "robinhood", canSend: true, canReceive: true, reason: null },
			{ id: 8_453, reason: "lagging", canSend: false },
			{ id: 31_337, slug: "anvil", canSend: true },
			{ id: 42_161, reason: "denied" },
		]);
		const found = await lab.ask("/v1/bridges/currencies?chainId=4663&term=usdg", undefined, {
			as: null,
		});
		expect(found.body.currencies).toMatchObject([{ address: USDG, symbol: "USDG", decimals: 6 }]);
		const nowhere = await lab.ask("/v1/bridges/currencies?chainId=999999", undefined, { as: null });
		expect(nowhere).toMatchObject({ status: 422, body: { code: "chain_unknown" } });
	});

	test("every other route of bridges needs a session", async () => {
		for (const [path, method, body] of [
			[PATH, "GET", undefined],
			[PATH, "POST", { command: COMMAND }],
			[`${PATH}/${crypto.randomUUID()}`, "GET", undefined],
			[`${PATH}/${crypto.randomUUID()}/sdk-quote`, "GET", undefined],
			[`${PATH}/${crypto.randomUUID()}/requote`, "POST", {}],
			[`${PATH}/${crypto.randomUUID()}/cancel`, "POST", {}],
			[`${PATH}/${crypto.randomUUID()}/moves`, "GET", undefined],
			["/v1/bridges/balances?chainId=4663", "GET", undefined],
			["/v1/bridges/preferences/4663", "DELETE", undefined],
		] as const) {
			const { status } = await lab.ask(path, body, { as: null, method });
			expect([path, method, status]).toEqual([path, method, 401]);
		}
	});

	test("another user's bridge answers like one that does not exist", async () => {
		const { id } = await bridge();
		await lab.enrol("cleo");
		for (const path of [`${PATH}/${id}`, `${PATH}/${id}/sdk-quote`]) {
			expect((await lab.ask(path, undefined, { as: "cleo" })).status).toBe(404);
		}
		expect((await lab.ask(`${PATH}/${id}/requote`, {}, { as: "cleo" })).status).toBe(404);
		expect((await lab.ask(PATH, undefined, { as: "cleo" })).body.data).toEqual([]);
	});
});

describe("a quote that lies", () => {
	for (const kind of LIE_KINDS.filter((one) => one !== "unlimited_allowance")) {
		test(`about "${kind}" is refused before anything is signed`, async () => {
			lab.bridge.fault({ kind, times: 1 });
			const before = deposits();
			const { status, errorCode, intentId } = await bridge();
			const code =
				{ signature_step: "signature_steps_unsupported", past_deadline: "quote_expired" }[
					kind as string
				] ?? (kind === "less_minimum" ? "slippage_too_high" : "quote_mismatch");
			expect({ kind, status, errorCode, intentId }).toEqual({
				...{ kind, status: "rejected", errorCode: code, intentId: null },
			});
			expect(deposits()).toBe(before);
		});
	}

	test("[BRG-13] the key goes with each call to the provider, and to nobody else", async () => {
		const calls = lab.bridge.calls();
		expect(calls.length).toBeGreaterThan(10);
		expect(new Set(calls.map(({ key }) => key))).toEqual(new Set([lab.bridge.apiKey]));
		const { text } = await lab.ask("/v1/bridges/chains");
		expect(text).not.toContain(lab.bridge.apiKey);
	});
});

describe("what is not clear, or may not be, is refused with a code", () => {
	const parts = { amount: "0.1", currency: "ETH", from: "anvil", to: "robinhood", as: "USDG" };
	for (const [what, more, code] of [
		["[BRG-04] a symbol of two currencies", { as: "TWICE" }, "symbol_ambiguous"],
		["[BRG-04] a symbol of nobody's", { as: "NOPE" }, "currency_unknown"],
		[
			"[BRG-04] more decimals than there are",
			{ amount: "0.1234567890123456789" },
			"amount_invalid",
		],
		["nothing", { amount: "0" }, "amount_invalid"],
		["an exponent", { amount: "1e18" }, "amount_invalid"],
		["a chain that nobody serves", { to: "ethereum" }, "chain_unavailable"],
		["a chain that is none", { to: "atlantis" }, "chain_unavailable"],
		["one chain twice", { to: "anvil" }, "same_chain"],
		["a mode that is not served", { mode: "direct" }, "mode_unsupported"],
		["the zero address", { recipient: `0x${"0".repeat(40)}` }, "recipient_invalid"],
		["the token as recipient", { recipient: USDG }, "recipient_invalid"],
		["no address", { refundTo: "anna.eth" }, "recipient_invalid"],
		["the router of trades as recipient", { recipient: TRADE_ROUTER }, "recipient_invalid"],
		[
			"the router of trades, where it comes back",
			{ from: "robinhood", to: "anvil", as: "ETH", refundTo: TRADE_ROUTER },
			"recipient_invalid",
		],
	] as const) {
		test(`${what}: ${code}`, async () => {
			const { status, errorCode } = await bridge({ ...parts, ...more });
			expect({ status, errorCode }).toEqual({ status: "rejected", errorCode: code });
		});
	}

	test("[BRG-04] a symbol of two currencies comes with the address of each, also for an agent", async () => {
		const both = [
			"0x00000000000000000000000000000000000d0001",
			"0x00000000000000000000000000000000000d0002",
		];
		const { detail } = await bridge({ ...parts, as: "TWICE" });
		const text = "quote bridge 0.1 eth from anvil to robinhood as twice";
		const { body } = await lab.ask("/v1/agent/command", { text });
		for (const address of both) {
			expect([detail.includes(address), body.line.includes(address)]).toEqual([true, true]);
			expect((await bridge({ ...parts, as: address })).errorCode).not.toBe("symbol_ambiguous");
		}
	});

	for (const [what, to, code] of [
		["[BRG-05] one that the provider took out", "optimism", "chain_unavailable"],
		["[BRG-05] one that lags", "base", "chain_unavailable"],
		["[BRG-05] one that is no EVM chain", "solana", "chain_not_evm"],
		["[BRG-05] one that the environment denies", "arbitrum", "chain_denied"],
	] as const) {
		test(`${what}: ${code}`, async () => {
			expect(await bridge({ ...parts, to })).toMatchObject({ status: "rejected", errorCode: code });
			expect((await bridge({ ...parts, from: to, to: "robinhood" })).errorCode).toBe(code);
		});
	}

	test("[BRG-05] the environment's list wins over what operators set", async () => {
		const change = { method: "PUT", admin: true };
		await lab.ask("/v1/admin/bridge-chains/42161", { enabled: true }, change);
		expect((await bridge({ ...parts, to: "arbitrum" })).errorCode).toBe("chain_denied");
	});
});

describe("[BRG-03] [BRG-12] who gets it, and who gets it back", () => {
	const parts = { amount: "0.001", currency: "ETH", from: "anvil", to: "robinhood", as: "USDG" };
	const preference = (chainId: number, body: object) =>
		lab.ask(`/v1/bridges/preferences/${chainId}`, body, { method: "PUT" });

	test("the request first, then the preference of that chain, then the wallet", async () => {
		const own = wallet.address;
		expect(await bridge(parts)).toMatchObject({ recipient: own, refundTo: own });
		const saved = `0x${"5a".repeat(20)}`;
		await preference(4_663, { recipient: saved, refundTo: ALICE });
		await preference(31_337, { refundTo: saved, recipient: ALICE });
		expect(await bridge(parts)).toMatchObject({ recipient: saved, refundTo: saved });
		const named = { ...parts, recipient: ALICE, refundTo: own };
		expect(await bridge(named)).toMatchObject({ recipient: ALICE, refundTo: own });
		for (const chainId of [4_663, 31_337]) {
			await lab.ask(`/v1/bridges/preferences/${chainId}`, undefined, { method: "DELETE" });
		}
		expect(await bridge(parts)).toMatchObject({ recipient: own, refundTo: own });
	});

	test("a saved address that nobody can be paid at is refused", async () => {
		const zero = await preference(4_663, { recipient: `0x${"0".repeat(40)}` });
		expect(zero).toMatchObject({ status: 422, body: { code: "validation_error" } });
		expect((await preference(4_663, {})).status).toBe(422);
	});

	test("an address of the provider's is paid by no bridge, preference or transfer, and is named", async () => {
		const { db } = lab.service.core;
		// A solver of before, which the provider does not publish any more.
		const former = `0x${"f0".repeat(20)}`;
		await db.execute(
			`insert into bridge.pin (chain_id, role, address, pinned_by, pinned_at)
			values (8453, 'filler', $1, 'first seen', now())`,
			[Buffer.from(former.slice(2), "hex")],
		);
		const pinned = await db.query<{ role: string; address: string }>(
			"select distinct role, '0x' || encode(address, 'hex') as address from bridge.pin",
		);
		const roles = ["depository", "filler", "proxy", "solver"];
		expect([...new Set(pinned.map(({ role }) => role))].sort()).toEqual(roles);
		expect(pinned.map(({ address }) => address)).toContain(solverAccount.address.toLowerCase());
		const issue = (path: string) => ({ path, message: expect.stringMatching(/bridge provider/) });
		for (const { address } of pinned) {
			for (const member of ["recipient", "refundTo"] as const) {
				const { status, errorCode, detail } = await bridge({ ...parts, [member]: address });
				expect([address, status, errorCode]).toEqual([address, "rejected", "recipient_invalid"]);
				expect(detail).toMatch(new RegExp(`^${member} is .* bridge provider.*: nobody gets out`));
				const saved = await preference(4_663, { [member]: address });
				expect(saved).toMatchObject({ status: 422, body: { issues: [issue(member)] } });
			}
			const transfer = {
				...{ fromWalletId: wallet.id, recipients: [ALICE, address] },
				...{ amount: "0.001", currency: "ETH", chain: "anvil" },
			};
			const sent = await lab.ask("/v1/trading/wallet-transfers", transfer);
			expect(sent).toMatchObject({ status: 422, body: { issues: [issue("recipients.1")] } });
		}
	});
});

describe("what becomes of a deposit", () => {
	test("a refund is an end, and its amount is what arrived on the origin chain", async () => {
		lab.bridge.fault({ kind: "refund", times: 1 });
		const done = await lab.reached((await bridge()).id, ["refund"]);
		const entry = entryOf(done.quote.requestId);
		expect(done.arrived).toMatchObject({
			...{ verified: true, chainId: 31_337, amountRaw: String(entry?.refund?.raw) },
			transactionHash: entry?.refund?.hash,
		});
		expect(entry?.fill).toBeNull();
	});

	test("a failure and then a smaller refund is a refund with what arrived", async () => {
		lab.bridge.fault({ kind: "fail_then_refund", times: 1, delayMs: HELD_MS });
		const { id } = await bridge();
		await lab.until(id, ({ providerStatus }) => providerStatus === "failure");
		lab.bridge.release();
		const done = await lab.reached(id, ["refund", "success", "timed_out"]);
		const raw = entryOf(done.quote.requestId)?.refund?.raw ?? 0n;
		expect(done).toMatchObject({ status: "refund", arrived: { amountRaw: String(raw) } });
		expect(raw).toBeLessThan(ETHER / 10n / 2n + 1n);
	});

	test("a status that was never seen before is in flight", async () => {
		lab.bridge.fault({ kind: "odd_status", says: "teleporting", times: 1, delayMs: HELD_MS });
		const { id } = await bridge();
		const odd = await lab.until(id, ({ providerStatus }) => providerStatus === "teleporting");
		expect(odd.status).toBe("pending");
		lab.bridge.release();
		await lab.reached(id, ["success"]);
	});

	test("a fill below the minimum is uncertain, with an alarm", async () => {
		lab.bridge.fault({ kind: "fill_short", times: 1 });
		const done = await lab.reached((await bridge()).id, ["uncertain", "success"]);
		expect(done).toMatchObject({ status: "uncertain", errorCode: "fill_short" });
		const metrics = await (await fetch(`${lab.service.url}/metrics`)).text();
		expect(metrics).toContain('bridge_alarms_total{reason="fill_short"} 1');
	});

	test("a fill to another recipient, and a claimed fill without a payment, are not believed", async () => {
		lab.bridge.fault({ kind: "fill_elsewhere", times: 1 });
		const elsewhere = await lab.reached((await bridge()).id, ["uncertain", "success"]);
		expect(elsewhere).toMatchObject({ status: "uncertain", errorCode: "fill_short" });
		for (const kind of ["claims_fill", "claims_refund"] as const) {
			lab.bridge.fault({ kind, times: 1 });
			const { id } = await bridge();
			const { status } = await lab.until(id, ({ providerStatus }) =>
				/success|refund/.test(providerStatus ?? ""),
			);
			expect([kind, status]).toEqual([kind, "pending"]);
		}
	});

	test("a payment that was counted for one bridge is no fill of another", async () => {
		await lab.reached((await bridge()).id, ["success"]);
		lab.bridge.fault({ kind: "claims_last_fill", times: 1 });
		const done = await lab.reached((await bridge()).id, ["uncertain", "success"]);
		expect(done).toMatchObject({ status: "uncertain", errorCode: "fill_short" });
	});
});

describe("a token", () => {
	const back = { amount: "50", currency: "USDG", from: "robinhood", to: "anvil", as: "ETH" };
	const allowance = async () => {
		const data = encodeFunctionData({
			...{ abi: erc20Abi, functionName: "allowance" as const },
			args: [wallet.address as Hex, lab.bridge.chains[0]?.depository ?? "0x"],
		});
		return BigInt(await lab.home.rpc<string>("eth_call", [{ to: USDG, data }, "latest"]));
	};

	test("a token is allowed exactly, deposited after that, and arrives as a coin", async () => {
		const before = await lab.dollars(wallet.address);
		const started = await bridge(back);
		expect(started).toMatchObject({
			errorCode: null,
			steps: [{ kind: "approve" }, { kind: "deposit" }],
		});
		const symbolOf = (name: string) =>
			started.quote.fees.find((fee: any) => fee.name === name)?.symbol;
		expect([symbolOf("gas"), symbolOf("relayer")]).toEqual(["ETH", "USDG"]);
		const done = await lab.reached(started.id, ["success", "failure", "rejected"]);
		expect(done).toMatchObject({ status: "success", arrived: { verified: true, chainId: 31_337 } });
		expect(await lab.dollars(wallet.address)).toBe(before - 50_000_000n);
		expect(await allowance()).toBe(0n);
		expect(done.arrived.amountRaw).toBe(String((49_900_000n * ETHER) / 2_000_000_000n));
	});

	/** Gives the wallet sixty of a token that no feed of ours knows, and returns it. */
	async function unpriced(): Promise<string> {
		const token = "0x00000000000000000000000000000000000d0002";
		const mint = { abi: dollarAbi, functionName: "mint" } as const;
		const data = encodeFunctionData({ ...mint, args: [wallet.address as Hex, 60_000_000n] });
		const [from] = await lab.home.rpc<string[]>("eth_accounts");
		await lab.home.rpc("eth_sendTransaction", [{ from, to: token, data }]);
		await lab.home.mined();
		return token;
	}

	test("a token without a feed counts against limits as the most that anybody says of it", async () => {
		const token = await unpriced();
		const done = await lab.reached((await bridge({ ...back, currency: token })).id, ["success"]);
		const [spent] = await lab.service.core.db.query<{ micros: string }>(
			"select usd_micros as micros from wallets.spend_entry where intent_id = $1 and kind = 'reserve'",
			[done.intentId],
		);
		// By the ether that they buy it is the bridge's fee less.
		expect(Number(spent?.micros)).toBe(50_000_000);
	});

	test("a token of which nobody says what is lost is asked about first, in words", async () => {
		const token = await unpriced();
		lab.bridge.spoilQuotes((quote) => {
			for (const side of [quote.details.currencyIn, quote.details.currencyOut]) {
				side.amountUsd = undefined;
			}
			quote.details.totalImpact = undefined;
			return quote;
		});
		const asked = await bridge({ ...back, currency: token });
		lab.bridge.spoilQuotes(null);
		expect(asked).toMatchObject({ status: "confirmation_required", depositHash: null });
		const link = asked.confirmUrl.split("/").at(-1);
		const { body } = await lab.ask(`/v1/links/${link}`, undefined, { as: null });
		expect(body.transactions[0].shown.summary).toContain("is not known");
		await lab.ask(`${PATH}/${asked.id}/cancel`, {});
	});

	test("a token that loses most of its worth by the provider's own figures is refused", async () => {
		const token = await unpriced();
		lab.bridge.spoilQuotes((quote) => {
			quote.details.currencyIn.amountUsd = "500.00";
			return quote;
		});
		const refused = await bridge({ ...back, currency: token });
		lab.bridge.spoilQuotes(null);
		expect(refused).toMatchObject({ status: "rejected", errorCode: "price_impact_too_high" });
	});

	test("a token with an unlimited allowance in its quote is refused before anything is signed", async () => {
		lab.bridge.fault({ kind: "unlimited_allowance", times: 1 });
		const refused = await bridge(back);
		expect(refused).toMatchObject({ status: "rejected", errorCode: "quote_mismatch" });
		expect(await allowance()).toBe(0n);
	});

	test("a bridge whose quote ends between its steps fails, and its allowance can be taken back", async () => {
		await lab.home.rpc("evm_setAutomine", [false]);
		const { id } = await bridge(back);
		await lab.service.core.db.execute(
			"update bridge.quote set expires_at = now() where bridge_id = $1",
			[id],
		);
		await lab.home.rpc("evm_setAutomine", [true]);
		await lab.home.rpc("evm_mine", []);
		const failed = await lab.reached(id, ["failure", "success", "rejected"]);
		expect(failed).toMatchObject({
			...{ status: "failure", errorCode: "quote_expired", revocable: true, depositHash: null },
		});
		expect(await allowance()).toBe(50_000_000n);
		const revoked = await lab.ask(`${PATH}/${id}/revoke`, {}, { key: "revoke-once" });
		expect(revoked.status).toBe(202);
		await until(async () => (await allowance()) === 0n, "the allowance is gone");
	});
});

describe("[BRG-09] webhooks", () => {
	const WEBHOOK = "/v1/bridgeprovider/webhook";
	const post = async (body: string, headers: Record<string, string>) => {
		const answer = await fetch(`${lab.service.url}${WEBHOOK}`, { method: "POST", headers, body });
		const told = (await answer.json()) as any;
		return `${answer.status} ${told.outcome ?? told.code}`;
	};
	const eventOf = (requestId: string, timestamp = Date.now(), status = "success") =>
		JSON.stringify({ event: "request.status.updated", timestamp, data: { requestId, status } });
	const unknown = `0x${"ee".repeat(32)}`;

	test("a webhook is accepted only with a signature of its bytes, within the hour, by the right key", async () => {
		const now = Date.now();
		const body = eventOf(unknown, now);
		const key = lab.bridge.apiKey;
		expect(await post(body, signBridgeWebhook(key, body, now))).toBe("200 idle");
		const spaced = JSON.stringify(JSON.parse(body), null, 1);
		expect(await post(spaced, signBridgeWebhook(key, body, now))).toBe(
			"401 bridge_webhook_signature",
		);
		expect(await post(body, signBridgeWebhook("other", body, now))).toBe(
			"401 bridge_webhook_signature",
		);
		const yesterday = now - 86_400_000;
		expect(await post(body, signBridgeWebhook(key, body, yesterday))).toBe(
			"401 bridge_webhook_time",
		);
		const short = { ...signBridgeWebhook(key, body, now), "x-signature-sha256": "ab" };
		expect(await post(body, short)).toBe("400 bridge_webhook_headers");
		const json = { "content-type": "application/json" };
		expect(await post(body, json)).toBe("400 bridge_webhook_headers");
		expect(await post("7", signBridgeWebhook(key, "7", now))).toBe("422 bridge_webhook_event");
		const big = " ".repeat(65_537);
		expect(await post(big, signBridgeWebhook(key, big, now))).toBe("413 bridge_webhook_too_large");
	});

	test("a webhook is taken once by event, time, request and status", async () => {
		const now = Date.now();
		const say = (timestamp: number, status: string) => {
			const body = eventOf(unknown, timestamp, status);
			return post(body, signBridgeWebhook(lab.bridge.apiKey, body, Date.now()));
		};
		expect(await say(now + 1, "pending")).toBe("200 idle");
		expect(await say(now + 1, "pending")).toBe("200 repeated");
		expect(await say(now + 1, "success")).toBe("200 idle");
		expect(await say(now + 2, "pending")).toBe("200 idle");
	});

	test("a lying webhook changes nothing: the provider and the chains are asked", async () => {
		lab.bridge.fault({ kind: "fill_never", times: 1 });
		const { id, quote } = await bridge();
		await lab.reached(id, ["pending"]);
		for (const status of ["success", "refund", "failure"]) {
			const body = eventOf(quote.requestId, Date.now(), status);
			expect(await post(body, signBridgeWebhook(lab.bridge.apiKey, body, Date.now()))).toMatch(
				/^200 (woken|idle)$/,
			);
			await Bun.sleep(0);
			expect((await lab.ask(`${PATH}/${id}`)).body.status).toBe("pending");
		}
	});

	test("the provider's own webhooks arrive for every status, even twice", async () => {
		lab.bridge.sendWebhooksTo(`${lab.service.url}${WEBHOOK}`);
		lab.bridge.fault({ kind: "webhook_twice" });
		const { id, quote } = await bridge();
		await lab.reached(id, ["success"]);
		await lab.bridge.idle();
		lab.bridge.sendWebhooksTo(null);
		const sent = lab.bridge.webhooks().filter((one) => one.requestId === quote.requestId);
		expect(sent.length).toBeGreaterThan(4);
		expect(sent.every(({ answered }) => answered === 200)).toBe(true);
	});
});

describe("asked twice", () => {
	test("a request that is repeated under one key is one bridge, one deposit, and the same bytes", async () => {
		const before = deposits();
		const key = "bridge-once";
		const first = await lab.ask(PATH, { command: COMMAND }, { key });
		await lab.reached(first.body.id, ["success"]);
		const second = await lab.ask(PATH, { command: COMMAND }, { key });
		expect(second.text).toBe(first.text);
		expect(deposits()).toBe(before + 1);
		const other = await lab.ask(PATH, { command: COMMAND.replace("0.1", "0.2") }, { key });
		expect(other).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
	});

	test("a requote after a step was submitted is refused, and so is a foreign hash", async () => {
		const { id } = await bridge();
		const done = await lab.reached(id, ["success"]);
		const requoted = await lab.ask(`${PATH}/${id}/requote`, {});
		expect(requoted).toMatchObject({ status: 409, body: { code: "requote_after_submission" } });
		const own = { transactionHash: done.depositHash };
		expect((await lab.ask(`${PATH}/${id}/step-results`, own)).status).toBe(200);
		const foreign = { transactionHash: `0x${"ab".repeat(32)}` };
		for (const path of ["step-results", "sdk-result"]) {
			const answer = await lab.ask(`${PATH}/${id}/${path}`, foreign);
			expect(answer).toMatchObject({ status: 409, body: { code: "step_result_foreign" } });
		}
	});
});

describe("[BRG-16] operators", () => {
	test("need the key, and each of their changes is in the audit log", async () => {
		for (const path of ["/v1/admin/bridges", `/v1/admin/bridges/${crypto.randomUUID()}`]) {
			expect((await lab.ask(path)).status).toBe(401);
		}
		const off = await lab.ask(
			"/v1/admin/bridge-chains/4663",
			{ enabled: false },
			{ method: "PUT", admin: true },
		);
		expect(off.body).toEqual({ chainId: 4_663, enabled: false, previous: null });
		expect(await bridge()).toMatchObject({ status: "rejected", errorCode: "chain_denied" });
		await lab.ask(
			"/v1/admin/bridge-chains/4663",
			{ enabled: true },
			{ method: "PUT", admin: true },
		);
		const { id } = await bridge();
		await lab.reached(id, ["success"]);
		const shown = await lab.ask(`/v1/admin/bridges/${id}`, undefined, { admin: true });
		expect(shown.body).toMatchObject({ id, status: "success" });
		const disabled = await lab.ask(`/v1/admin/bridges/${id}/disable`, {}, { admin: true });
		expect(disabled.body.status).toBe("success");
		const audited = await lab.service.core.db.query<{ entry: unknown }>(
			"select entry from core.audit_entry order by seq",
		);
		const told = audited
			.map(({ entry }) => JSON.stringify(entry))
			.filter((one) => /bridge/.test(one));
		for (const action of ["bridge.chain.switched", "bridge.disabled"]) {
			expect(told.some((one) => one.includes(action) && one.includes("operator:olga"))).toBe(true);
		}
	});

	test("stop a bridge's next step, but its money is still followed", async () => {
		lab.bridge.fault({ kind: "fill_late", times: 1, delayMs: HELD_MS });
		const { id } = await bridge();
		await lab.reached(id, ["pending"]);
		const stopped = await lab.ask(`/v1/admin/bridges/${id}/disable`, {}, { admin: true });
		expect(stopped.body.status).toBe("pending");
		lab.bridge.release();
		await lab.reached(id, ["success"]);
	});
});

test("balances are read on chain, and no address of a node is told", async () => {
	const { body, text } = await lab.ask("/v1/bridges/balances?chainId=4663");
	const coin = body.balances.find((one: any) => one.symbol === "ETH");
	expect(BigInt(coin.balanceRaw)).toBe(await lab.coins("home", wallet.address));
	const dollars = body.balances.find((one: any) => one.currency === USDG);
	expect(BigInt(dollars.balanceRaw)).toBe(await lab.dollars(wallet.address));
	expect(text).not.toMatch(/https?:/);
});

describe("the agent", () => {
	const command = async (text: string) => (await lab.ask("/v1/agent/command", { text })).body;

	test("bridges by the strict command, and says where the money is", async () => {
		const done = await command("bridge 0.01 eth from anvil to robinhood as usdg");
		expect(done).toMatchObject({ kind: "done", tool: "bridge" });
		await lab.reached(done.data.id, ["success"]);
		const where = await command("where is my money");
		expect(where.line).toContain("It arrived on robinhood");
		const one = await command(`show bridge ${done.data.id}`);
		expect(one.data).toMatchObject({ id: done.data.id, status: "success" });
	});

	test("calls a bridge off that waits for its owner, by the route and by words, and none that was sent", async () => {
		await lab.ask("/v1/trading/profile", { requireTradeConfirmation: true });
		const [one, other] = [await bridge(), await bridge()];
		await lab.ask("/v1/trading/profile", { requireTradeConfirmation: false });
		expect([one.status, other.status]).toEqual(Array(2).fill("confirmation_required"));
		const before = deposits();
		const called = await lab.ask(`${PATH}/${one.id}/cancel`, {});
		expect(called.body).toMatchObject({ status: "rejected", errorCode: "cancelled" });
		const said = await command(`cancel bridge ${other.id}`);
		expect(said.data).toMatchObject({ status: "rejected", errorCode: "cancelled" });
		await lab.enrol("cleo");
		expect((await lab.ask(`${PATH}/${one.id}/cancel`, {}, { as: "cleo" })).status).toBe(404);
		expect((await lab.ask(`${PATH}/${one.id}/moves`, undefined, { as: "cleo" })).status).toBe(404);
		const sent = await bridge();
		await lab.reached(sent.id, ["pending", "success"]);
		const late = await lab.ask(`${PATH}/${sent.id}/cancel`, {});
		expect(late).toMatchObject({ status: 409, body: { code: "bridge_state" } });
		await lab.reached(sent.id, ["success"]);
		expect(deposits()).toBe(before + 1);
	});

	test("tells a bridge's timeline, with both transactions, the provider's words and who showed them", async () => {
		const { id } = await bridge();
		const done = await lab.reached(id, ["success"]);
		const { body } = await lab.ask(`${PATH}/${id}/moves`);
		const { moves } = body;
		expect(moves.map(({ to }: any) => to)).toEqual(expect.arrayContaining(["quoted", "pending"]));
		const last = moves.findLast(({ from, to }: any) => from !== to);
		expect(last).toMatchObject({
			...{ event: "fill", to: "success", provenBy: "own_node", providerStatus: "success" },
			...{ depositHash: done.depositHash, arrivalHash: done.arrived.transactionHash },
		});
		const times = moves.map(({ at }: any) => Date.parse(at));
		expect(times).toEqual([...times].sort((one, next) => one - next));
		const said = await command(`bridge moves ${id}`);
		expect(said.data).toMatchObject({ bridge: { id }, moves });
		expect(said.line).toContain("> success.");
	});

	test("quotes without recording anything", async () => {
		const rows = async () =>
			(await lab.service.core.db.query("select 1 from bridge.bridge")).length;
		const before = await rows();
		const quoted = await command("quote bridge 1 eth from anvil to robinhood as usdg");
		expect(quoted.data).toMatchObject({ expectedOut: "1996", outSymbol: "USDG" });
		expect(await rows()).toBe(before);
		expect((await command("bridge chains")).data.chains).toContain("robinhood");
	});
});
