import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("postTransfers.202", () => {
	// Guarantee: a transfer is sent once, in full, to the named recipients, or not at all.

	const PATH = "/v1/trading/wallet-transfers";
	const ETHER = 10n ** 18n;
	const ANNA = `0x${"a1".repeat(20)}` as const;
	const BERT = `0x${"b2".repeat(20)}` as const;
	const CARA = `0x${"c3".repeat(20)}` as const;

	let database: TestDatabase;
	let lab: TransfersLab;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openTransfersLab(database.db);
	});

	type Sent = { status: string; errorCode: string | null; [member: string]: unknown };

	async function send(
		by: Awaited<ReturnType<TransfersLab["person"]>>,
		more: object = {},
		key?: string,
	) {
		const body = { fromWalletId: by.wallet.id, recipients: [ANNA, BERT], amount: "0.25", ...more };
		const answer = await lab.ask(PATH, { body, by, ...(key === undefined ? {} : { key }) });
		return { ...answer, transfers: (answer.body?.transfers ?? []) as Sent[] };
	}

	describe("a transfer from a wallet that the service may send from", () => {
		test("[TRF-01] [TRF-02] a transfer is sent at once, the amount to each recipient", async () => {
			const by = await lab.person();
			const { status, transfers, headers } = await send(by);
			expect(status).toBe(202);
			expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
			expect(headers.get("cache-control")).toBe("no-store");
			expect(transfers).toMatchObject([
				{ status: "submitted", recipient: ANNA, amount: "0.25", amountRaw: "250000000000000000" },
				{ status: "submitted", recipient: BERT, chain: "anvil", signUrl: null, confirmUrl: null },
			]);
			const pool = lab.chain.pool();
			expect(pool.map(({ to, valueRaw, data, from }) => ({ to, valueRaw, data, from }))).toEqual([
				{ to: ANNA, valueRaw: ETHER / 4n, data: "0x", from: by.wallet.address },
				{ to: BERT, valueRaw: ETHER / 4n, data: "0x", from: by.wallet.address },
			]);
			lab.chain.mine();
			await lab.tick();
			const { body } = await lab.ask(`${PATH}/${transfers[0]?.["id"]}`, { by });
			expect(body).toMatchObject({ status: "confirmed", errorCode: null, from: by.wallet.address });
		});

		test("an amount that was sent as a JSON number is read from its text", async () => {
			const by = await lab.person();
			const text = `{"fromWalletId":"${by.wallet.id}","recipients":["${ANNA}"],"amount":0.100000000000000001}`;
			const { body } = await lab.ask(PATH, { body: text, by });
			expect(body.transfers[0].amountRaw).toBe("100000000000000001");
		});

		test("a contract is paid if its code accepts, and shown as a contract; a delegated account is not", async () => {
			const by = await lab.person();
			lab.chain.codes.set(ANNA, "0x6001");
			lab.chain.codes.set(BERT, `0xef0100${"11".repeat(20)}`);
			const { transfers } = await send(by);
			expect(transfers.map((one) => one["recipientIsContract"])).toEqual([true, false]);
			expect(transfers.every(({ status }) => status === "submitted")).toBe(true);
		});

		test("[TRF-03] no recipient is paid if a node cannot tell whether one is a contract", async () => {
			const by = await lab.person();
			lab.chain.codes.set(BERT, "0xno" as never);
			const { transfers } = await send(by);
			expect(transfers).toMatchObject([
				{ status: "rejected", errorCode: "chain_unavailable" },
				{ status: "rejected", errorCode: "chain_unavailable" },
			]);
			expect(lab.chain.pool()).toHaveLength(0);
		});
	});

	describe("[TRF-03] a batch is decided as a whole", () => {
		const rejected = (code: string) => [
			{ status: "rejected", errorCode: code, transactionHash: null },
			{ status: "rejected", errorCode: code, transactionHash: null },
		];

		test("a balance that covers one of two sends none", async () => {
			const by = await lab.person();
			lab.chain.balances.set(by.wallet.address, (ETHER * 4n) / 10n);
			expect((await send(by)).transfers).toMatchObject(rejected("balance_insufficient"));
			lab.chain.balances.set(by.wallet.address, ETHER / 2n + 1n);
			expect((await send(by)).transfers).toMatchObject(rejected("gas_reserve"));
			expect(lab.handed).toHaveLength(0);
		});

		test("a transfer that would fail on chain prevents the whole batch from being sent", async () => {
			const by = await lab.person();
			lab.chain.reverts.add("0x");
			const { transfers } = await send(by);
			expect(transfers).toMatchObject(rejected("simulation_failed"));
			// It says how much it was, what the wallet has, and what can be done.
			expect(transfers[0]).toMatchObject({
				error: {
					...{ limit: { unit: "ETH" }, amount: { value: "0.25", unit: "ETH" } },
					action: expect.stringContaining("recipient"),
				},
			});
			expect(lab.handed).toHaveLength(0);
		});

		test("limits count the sum, and a currency without a price is not sent", async () => {
			const by = await lab.person({ dailyUsdMax: 900_000_000n });
			expect((await send(by)).transfers).toMatchObject(rejected("daily_limit"));
			expect((await send(by, { amount: "2.6" })).transfers).toMatchObject(
				rejected("per_trade_limit"),
			);
			lab.prices.setEth(null);
			expect((await send(by)).transfers).toMatchObject(rejected("usd_rate_unavailable"));
			expect(lab.handed).toHaveLength(0);
		});

		test("a new recipient delays the whole batch, and is paid once known long enough", async () => {
			const by = await lab.person();
			lab.deps.settings.limits.recipientCooldownMs = 60_000;
			expect((await send(by)).transfers).toMatchObject(rejected("recipient_cooldown"));
			lab.clock.ms += 60_000;
			const again = await send(by);
			expect(again.transfers.map(({ status }) => status)).toEqual(["submitted", "submitted"]);
		});

		test("[TRF-03] TRADING_DRY_RUN decides and sends nothing", async () => {
			const by = await lab.person();
			lab.state.isDryRun = true;
			const { transfers } = await send(by);
			expect(transfers.map(({ status }) => status)).toEqual(["dry_run", "dry_run"]);
			expect(lab.handed).toHaveLength(0);
		});

		test("a wallet that is under review or disabled sends nothing", async () => {
			for (const capability of ["review-required", "disabled"] as const) {
				const by = await lab.person({ capability });
				expect((await send(by)).transfers).toMatchObject(rejected("no_executable_wallet"));
			}
		});

		test("an operator's kill switch for transfers blocks them", async () => {
			const by = await lab.person();
			await database.db.execute(
				`insert into wallets.control (key, value, changed_by, changed_at)
			values ('kill:plugin:transfers', 'true', 'test', now())`,
			);
			const { transfers } = await send(by);
			await database.db.execute("delete from wallets.control");
			expect(transfers).toMatchObject(rejected("trading_disabled"));
			expect(lab.handed).toHaveLength(0);
		});
	});

	describe("[TRF-02] a transfer for which the owner must act", () => {
		test("the owner of an external wallet gets a signing link for each transfer, and nothing is sent", async () => {
			for (const capability of ["external/manual", "embedded/manual"] as const) {
				const by = await lab.person({ capability });
				const { transfers } = await send(by);
				expect(transfers.map(({ status }) => status)).toEqual([
					"signature_required",
					"signature_required",
				]);
				const urls = transfers.map((one) => String(one["signUrl"]));
				expect(new Set(urls).size).toBe(2);
				for (const url of urls) expect(url).toMatch(/^https:\/\/app\.example\/links\/[\w-]{43}$/);
				expect(lab.handed).toHaveLength(0);
			}
		});

		test("requireTradeConfirmation asks once for all, and nothing is sent before", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const { transfers } = await send(by);
			expect(transfers.map(({ status }) => status)).toEqual([
				"confirmation_required",
				"confirmation_required",
			]);
			expect(transfers[0]?.["confirmUrl"]).toMatch(/^https:\/\/app\.example\/links\//);
			expect(transfers[1]?.["confirmUrl"]).toBe(transfers[0]?.["confirmUrl"]);
			expect(lab.handed).toHaveLength(0);
		});
	});

	describe("[TRF-04] a transfer with an idempotency key", () => {
		test("a retry sends nothing twice and gets the same bytes", async () => {
			const by = await lab.person();
			const first = await send(by, {}, "key-1");
			lab.chain.mine();
			await lab.tick();
			const second = await send(by, {}, "key-1");
			expect(second).toMatchObject({ status: 202, text: first.text });
			expect(lab.handed).toHaveLength(2);
		});

		test("another request under a used key is refused, and so is an invalid key", async () => {
			const by = await lab.person();
			await send(by, {}, "key-1");
			const other = await send(by, { amount: "0.26" }, "key-1");
			expect(other).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
			expect((await send(by, {}, "k".repeat(256))).status).toBe(422);
			expect(lab.handed).toHaveLength(2);
		});

		test("a retry while the first request runs gets the time to retry", async () => {
			const by = await lab.person();
			await send(by, {}, "key-1");
			// As before the first was answered.
			await database.db.execute("update wallets.idempotent_answer set status = null, body = null");
			const late = await send(by, {}, "key-1");
			expect(late).toMatchObject({
				status: 409,
				body: { code: "request_running", retryAfterMs: 1_000 },
			});
			expect(late.headers.get("retry-after")).toBe("1");
			expect(lab.handed).toHaveLength(2);
		});

		test("two simultaneous requests with one key send once", async () => {
			const by = await lab.person();
			const both = await Promise.all([send(by, {}, "key-1"), send(by, {}, "key-1")]);
			const statuses = both.map(({ status }) => status).sort();
			// A request after the first has finished gets its answer.
			expect([
				[202, 202],
				[202, 409],
			]).toContainEqual(statuses);
			expect(lab.handed).toHaveLength(2);
		});
	});

	test("[TRF-04] a batch that cannot continue now is no error, because sending it again would pay twice", async () => {
		const by = await lab.person();
		const settle = lab.chain.rpc.settle;
		lab.chain.rpc.settle = async () => {
			throw rpcFault.transport({ detail: "away" });
		};
		const { status, transfers } = await send(by);
		expect({ status, statuses: transfers.map((one) => one.status) }).toEqual({
			status: 202,
			statuses: ["created", "created"],
		});
		lab.chain.rpc.settle = settle;
		await lab.tick(11_000);
		for (const { id } of transfers) {
			expect((await lab.ask(`${PATH}/${id}`, { by })).body.status).toBe("submitted");
		}
		expect(lab.handed).toHaveLength(2);
	});

	test("fifty recipients are one batch", async () => {
		const by = await lab.person();
		const recipients = Array.from({ length: 50 }, (_, index) => {
			return `0x${(index + 0xabcdef).toString(16).padStart(40, "1")}`;
		});
		const { status, transfers } = await send(by, { recipients, amount: "0.001" });
		expect({ status, count: transfers.length }).toEqual({ status: 202, count: 50 });
		expect(transfers.every((one) => one.status === "submitted")).toBe(true);
		expect(new Set(transfers.map((one) => one["batchId"])).size).toBe(1);
		expect(lab.chain.pool()).toHaveLength(50);
	});

	test("a transfer is sent on another chain if the body names it", async () => {
		const by = await lab.person();
		const { transfers } = await send(by, { chain: "anvil", recipients: [CARA] });
		expect(transfers).toMatchObject([{ status: "submitted", chainId: 31_337 }]);
	});
});

describe("postTransfers.422", () => {
	// Guarantee: an invalid amount or address is refused before anything is stored or sent.

	const PATH = "/v1/trading/wallet-transfers";
	const ANNA = `0x${"a1".repeat(20)}`;

	let database: TestDatabase;
	let lab: TransfersLab;
	let by: Awaited<ReturnType<TransfersLab["person"]>>;
	beforeAll(async () => {
		database = await createTestDatabase();
		lab = openTransfersLab(database.db);
		by = await lab.person();
	});
	afterAll(() => database?.drop());

	async function refusal(more: object) {
		const body = { fromWalletId: by.wallet.id, recipients: [ANNA], amount: "0.25", ...more };
		const answer = await lab.ask(PATH, { body, by, key: "a-key" });
		const stored = await database.db.query(
			"select 1 from wallets.intent union all select 1 from wallets.idempotent_answer",
		);
		expect(stored).toHaveLength(0);
		expect(lab.handed).toHaveLength(0);
		const { status, body: problem } = answer;
		const paths = (problem.issues ?? []).map((issue: { path: string }) => issue.path);
		return { status, code: problem.code, paths };
	}

	const refused = (...paths: string[]) => ({ status: 422, code: "validation_error", paths });

	for (const amount of [
		"1e18",
		"0x10",
		"１",
		"1,5",
		"-0",
		"-1",
		"+1",
		"0",
		"0.0",
		"0.000000000000000000",
		"",
		" 1",
		"1 ",
		".5",
		"1.",
		"01",
		"1_000",
		"NaN",
		"Infinity",
		"0.1234567890123456789",
		"9".repeat(78),
		"1".repeat(200),
	]) {
		test(`[TRF-04] the amount ${JSON.stringify(amount)} is refused`, async () => {
			expect(await refusal({ amount })).toEqual(refused("amount"));
		});
	}

	test("[TRF-04] a JSON number follows the same rules as text", async () => {
		const text = (amount: string) =>
			`{"fromWalletId":"${by.wallet.id}","recipients":["${ANNA}"],"amount":${amount}}`;
		for (const amount of ["1e18", "-0", "0", "1E1", "0.1234567890123456789", "true", "null"]) {
			const { status } = await lab.ask(PATH, { body: text(amount), by });
			expect({ amount, status }).toEqual({ amount, status: 422 });
		}
	});

	const CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

	for (const [what, recipient] of [
		["a wrong checksum", CHECKSUMMED.replace("5aA", "5AA")],
		["the zero address", `0x${"0".repeat(40)}`],
		["a precompiled contract", `0x${"1".padStart(40, "0")}`],
		["the wrapped coin's contract", "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"],
		["too few digits", "0x1234"],
		["a name", "anna.eth"],
		["no prefix", "a1".repeat(20)],
		["a full-width digit", `0x${"a1".repeat(19)}a１`],
		["a blank behind", `${ANNA} `],
	] as const) {
		test(`[TRF-04] a recipient with ${what} is refused, with its position`, async () => {
			expect(await refusal({ recipients: [ANNA, recipient] })).toEqual(refused("recipients.1"));
		});
	}

	test("[TRF-04] the wallet itself and a repeated recipient are refused, in any spelling", async () => {
		expect(await refusal({ recipients: [by.wallet.address] })).toEqual(refused("recipients.0"));
		const twice = [CHECKSUMMED, ANNA, CHECKSUMMED.toLowerCase()];
		expect(await refusal({ recipients: twice })).toEqual(refused("recipients.2"));
	});

	test("[TRF-04] all mistakes of a body are listed at once", async () => {
		const recipients = ["0x1", ANNA, ANNA];
		const told = await refusal({ recipients, amount: "0" });
		expect(told).toEqual(refused("amount", "recipients.0", "recipients.2"));
	});

	test("[TRF-04] no recipient, or more than fifty, is refused", async () => {
		expect(await refusal({ recipients: [] })).toEqual(refused("recipients"));
		const many = Array.from({ length: 51 }, (_, index) => {
			return `0x${(index + 0xabcdef).toString(16).padStart(40, "1")}`;
		});
		expect(await refusal({ recipients: many })).toEqual(refused("recipients"));
	});

	test("a chain that is unknown, not configured, or has another coin is refused", async () => {
		for (const chain of ["nowhere", "base", "polygon", "matic"]) {
			expect(await refusal({ chain })).toEqual(refused("chain"));
		}
	});

	test("an unknown member is refused, not silently ignored", async () => {
		expect((await refusal({ token: "USDC" })).status).toBe(422);
	});

	test("another profile's wallet gets the same answer as a missing one", async () => {
		const other = await lab.person();
		for (const fromWalletId of [other.wallet.id, crypto.randomUUID(), "nonsense"]) {
			expect(await refusal({ fromWalletId })).toMatchObject({ status: 404, code: "not_found" });
		}
	});
});

describe("transferRoutes", () => {
	const PATH = "/v1/trading/wallet-transfers";

	let database: TestDatabase;
	let lab: TransfersLab;
	beforeAll(async () => {
		database = await createTestDatabase();
		lab = openTransfersLab(database.db);
	});
	afterAll(() => database?.drop());

	/** Makes one transfer for each recipient, one call each, and returns their ids. */
	async function sendTo(
		by: Awaited<ReturnType<TransfersLab["person"]>>,
		digits: readonly string[],
	) {
		const ids: string[] = [];
		for (const digit of digits) {
			const recipients = [`0x${digit.repeat(40)}`];
			const body = { fromWalletId: by.wallet.id, recipients, amount: "0.01" };
			const answer = await lab.ask(PATH, { body, by });
			ids.push(answer.body.transfers[0].id);
			lab.clock.ms += 1;
		}
		return ids;
	}

	test("[TRF-01] without a session the answer is 401, before the body is checked", async () => {
		const id = crypto.randomUUID();
		for (const [path, body] of [
			[PATH, {}],
			[PATH, { nonsense: 1 }],
			[PATH, "{ no JSON"],
			[PATH, undefined],
			[`${PATH}/${id}`, undefined],
			[`${PATH}/${id}/cancel`, {}],
		] as const) {
			const { status, body: problem } = await lab.ask(path, { body });
			expect({ path, status, code: problem.code }).toEqual({
				path,
				status: 401,
				code: "unauthorized",
			});
		}
	});

	test("the list has the caller's transfers, newest first, page by page", async () => {
		const by = await lab.person();
		const other = await lab.person();
		const ids = await sendTo(by, ["2", "3", "4"]);
		await sendTo(other, ["5"]);
		const first = await lab.ask(`${PATH}?limit=2`, { by });
		expect(first.body.data.map((one: { id: string }) => one.id)).toEqual([ids[2], ids[1]]);
		expect(first.body.page.hasMore).toBe(true);
		const cursor = encodeURIComponent(first.body.page.nextCursor);
		const second = await lab.ask(`${PATH}?limit=2&cursor=${cursor}`, { by });
		expect(second.body.data.map((one: { id: string }) => one.id)).toEqual([ids[0]]);
		expect(second.body.page).toEqual({ nextCursor: null, hasMore: false });
	});

	test("an invalid cursor or limit is refused", async () => {
		const by = await lab.person();
		for (const query of ["cursor=x", `cursor=1_${"-".repeat(36)}`, "limit=0", "limit=201"]) {
			const { status, body } = await lab.ask(`${PATH}?${query}`, { by });
			expect({ query, status, code: body.code }).toEqual({
				query,
				status: 422,
				code: "validation_error",
			});
		}
	});

	test("another profile's transfer and a missing one are the same 404", async () => {
		const [by, other] = [await lab.person(), await lab.person()];
		const [id] = await sendTo(by, ["2"]);
		for (const [path, options] of [
			[`${PATH}/${id}`, { by: other }],
			[`${PATH}/${id}/cancel`, { by: other, method: "POST" }],
			[`${PATH}/${crypto.randomUUID()}`, { by }],
			[`${PATH}/nonsense`, { by }],
		] as const) {
			const { status, body } = await lab.ask(path, options);
			expect({ path, status, code: body.code }).toEqual({ path, status: 404, code: "not_found" });
		}
		const [pay] = await lab.pay(by);
		expect((await lab.ask(`${PATH}/${pay?.id}`, { by })).status).toBe(404);
	});

	test("a transfer that waits for its owner can be cancelled, also with everything switched off", async () => {
		const by = await lab.person({ requireTradeConfirmation: true });
		const [id] = await sendTo(by, ["2"]);
		await database.db.execute(
			`insert into wallets.control (key, value, changed_by, changed_at)
		values ('kill:all', 'true', 'test', now())`,
		);
		const { status, body } = await lab.ask(`${PATH}/${id}/cancel`, { by, method: "POST" });
		await database.db.execute("delete from wallets.control");
		expect({ status, body }).toMatchObject({
			status: 200,
			body: { status: "rejected", errorCode: "cancelled" },
		});
		const again = await lab.ask(`${PATH}/${id}/cancel`, { by, method: "POST" });
		expect(again).toMatchObject({ status: 409, body: { code: "intent_state" } });
	});

	test("a sent transfer is cancelled by its nonce, and keeps its status until that is final", async () => {
		const by = await lab.person();
		const [id] = await sendTo(by, ["2"]);
		const { status, body } = await lab.ask(`${PATH}/${id}/cancel`, { by, method: "POST" });
		expect({ status, body }).toMatchObject({
			status: 200,
			body: { id, status: "submitted", cancellation: { state: "sent" } },
		});
		const sent = () =>
			lab.handed.filter(({ transaction }) => transaction.from === by.wallet.address);
		expect(sent().map(({ transaction }) => transaction.nonce)).toEqual([0, 0]);
		const again = await lab.ask(`${PATH}/${id}/cancel`, { by, method: "POST" });
		expect(again.status).toBe(200);
		expect(sent()).toHaveLength(2);
		const stranger = await lab.person();
		const other = await lab.ask(`${PATH}/${id}/cancel`, { by: stranger, method: "POST" });
		expect({ status: other.status, code: other.body.code }).toEqual({
			...{ status: 404, code: "not_found" },
		});
	});
});
