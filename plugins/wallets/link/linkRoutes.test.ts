import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("linkRoutes", () => {
	// Guarantee: a link shows exactly what will be sent, and takes one answer.

	const ANNA: Address = `0x${"a1".repeat(20)}`;
	const BERT: Address = `0x${"b2".repeat(20)}`;

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

	type By = Awaited<ReturnType<TransfersLab["person"]>>;
	type Transfer = { id: string; status: string; signUrl: string; confirmUrl: string };

	async function ask(by: By, recipients: readonly Address[] = [ANNA]): Promise<Transfer[]> {
		const body = { fromWalletId: by.wallet.id, recipients, amount: "0.25" };
		return (await lab.ask("/v1/trading/wallet-transfers", { body, by })).body.transfers;
	}

	/** A link's place in the API. */
	function apiOf(url: string | undefined): string {
		return `/v1/links/${url?.split("/").pop()}`;
	}

	const GONE = { status: 404, body: { code: "not_found" } };

	describe("who may use a link here", () => {
		test("pages of other origins are refused, with cookies or without, and the link stays unused", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const [first] = await ask(by);
			const link = apiOf(first?.confirmUrl);
			const { planHash } = (await lab.ask(link)).body;
			const foreign: Record<string, string>[] = [
				{ origin: "https://evil.example" },
				{ origin: "null" },
				{ origin: "https://app.example.evil.example" },
				{ "sec-fetch-site": "cross-site" },
			];
			for (const headers of foreign) {
				for (const path of [link, `${link}/outcome`]) {
					const read = await lab.ask(path, { headers });
					expect([path, headers, read.status]).toEqual([path, headers, 403]);
					expect(read.body.code).toBe("origin_not_allowed");
				}
				expect((await lab.ask(link, { headers, body: { planHash } })).status).toBe(403);
				const body = { intentId: first?.id };
				expect((await lab.ask("/v1/links", { headers, body, by })).status).toBe(403);
			}
			expect(lab.handed).toHaveLength(0);
			const own = { origin: "https://app.example", "sec-fetch-site": "same-origin" };
			expect((await lab.ask(link, { headers: own, body: { planHash } })).status).toBe(200);
		});

		test("a program's proposal gets no link to confirm it, except by its owner's browser on our page", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const [first] = await ask(by);
			const body = { intentId: first?.id };
			const own = { origin: "https://app.example" };
			const made = async (headers: Record<string, string>) =>
				(await lab.ask("/v1/links", { headers, body, by })).status;
			expect(await made({})).toBe(201);
			await lab.db.execute("update wallets.intent set channel = 'agent'");
			for (const headers of [{}, { "sec-fetch-site": "same-origin" }]) {
				expect(await made(headers)).toBe(403);
			}
			expect(await made(own)).toBe(201);
			// What another person's session asks for is not there at all.
			const other = await lab.person();
			const theirs = await lab.ask("/v1/links", { headers: own, body, by: other });
			expect(theirs).toMatchObject(GONE);
		});

		test("of 80 simultaneous requests for a link 20 succeed", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const [first] = await ask(by);
			const body = { intentId: first?.id };
			const answers = await Promise.all(
				Array.from({ length: 80 }, () => lab.ask("/v1/links", { body, by })),
			);
			const codes = answers.map(({ status }) => status).filter((status) => status !== 409);
			// The answer to the transfer had the first one.
			expect(codes).toEqual(Array(19).fill(201));
			const [row] = await lab.db.query("select count(*)::int as links from wallets.link");
			expect(row).toEqual({ links: 20 });
		});
	});

	describe("a link to confirm", () => {
		test("a link accepts no confirmation by somebody who is signed in as another profile", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const other = await lab.person();
			const [first] = await ask(by);
			const link = apiOf(first?.confirmUrl);
			const { planHash } = (await lab.ask(link)).body;
			expect(await lab.ask(link, { body: { planHash }, by: other })).toMatchObject(GONE);
			expect(lab.handed).toHaveLength(0);
			expect((await lab.intent(first?.id ?? "")).status).toBe("confirmation_required");
			// It is left as it was, for its owner.
			const own = await lab.ask(link, { body: { planHash }, by });
			expect(own.body.intents).toMatchObject([{ status: "submitted" }]);
		});

		test("[TRF-02] a link shows amounts and recipients, and one confirmation sends all of it once", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const transfers = await ask(by, [ANNA, BERT]);
			const link = apiOf(transfers[0]?.confirmUrl);
			const { status, body, headers } = await lab.ask(link);
			expect(status).toBe(200);
			expect(headers.get("cache-control")).toBe("no-store");
			expect(body).toMatchObject({
				purpose: "confirm",
				kind: "transfer",
				expiresInMs: 600_000,
				total: { amount: "0.5", symbol: "ETH", usd: 1_000 },
				request: null,
				transactions: [
					{
						from: by.wallet.address,
						to: ANNA,
						recipient: ANNA,
						chain: { id: 31_337, slug: "anvil", name: "Anvil" },
						spend: { amount: "0.25", amountRaw: "250000000000000000", symbol: "ETH", usd: 500 },
						data: "0x",
						payments: [],
						shown: { summary: `Sends 0.25 ETH to ${ANNA} on Anvil.`, recipientIsContract: false },
					},
					{ recipient: BERT },
				],
			});
			// Looking uses nothing up.
			expect((await lab.ask(link)).status).toBe(200);
			expect(lab.handed).toHaveLength(0);
			const used = await lab.ask(link, { body: { planHash: body.planHash } });
			expect(used.status).toBe(200);
			expect(used.body.intents).toMatchObject([
				{ status: "submitted", nextUrl: null },
				{ status: "submitted", nextUrl: null },
			]);
			const hashes = (await Promise.all(transfers.map(({ id }) => lab.intent(id)))).map(
				({ transactionHash }) => transactionHash,
			);
			expect(used.body.intents.map((one: any) => one.transactionHash)).toEqual(hashes);
			expect(lab.handed.map(({ transaction }) => transaction.to)).toEqual([ANNA, BERT]);
			expect(await lab.ask(link)).toMatchObject(GONE);
			expect(await lab.ask(link, { body: { planHash: body.planHash } })).toMatchObject(GONE);
			expect(lab.handed).toHaveLength(2);
		});

		test("[TRF-04] of many simultaneous confirmations one is accepted", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const [first] = await ask(by, [ANNA, BERT]);
			const link = apiOf(first?.confirmUrl);
			const { planHash } = (await lab.ask(link)).body;
			const answers = await Promise.all(
				Array.from({ length: 6 }, () => lab.ask(link, { body: { planHash } })),
			);
			const statuses = answers.map(({ status }) => status).sort();
			expect(statuses).toEqual([200, 404, 404, 404, 404, 404]);
			expect(lab.handed).toHaveLength(2);
		});

		test("a confirmation with another hash is refused and does not use up the link", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const [first] = await ask(by);
			const link = apiOf(first?.confirmUrl);
			const { planHash } = (await lab.ask(link)).body;
			const other = await lab.ask(link, { body: { planHash: `0x${"ab".repeat(32)}` } });
			expect(other).toMatchObject({ status: 409, body: { code: "plan_changed" } });
			for (const body of [
				{ transactionHash: `0x${"ab".repeat(32)}` },
				{},
				{ planHash: "0x1" },
				{ planHash, transactionHash: planHash },
			]) {
				const { status, body: problem } = await lab.ask(link, { body });
				expect({ status, code: problem.code }).toEqual({ status: 422, code: "validation_error" });
				expect(problem.detail).not.toMatch(/Invalid input|expected/);
			}
			expect(lab.handed).toHaveLength(0);
			expect((await lab.ask(link, { body: { planHash } })).status).toBe(200);
		});

		test("a batch of which a part was cancelled can no longer be confirmed", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const transfers = await ask(by, [ANNA, BERT]);
			const link = apiOf(transfers[0]?.confirmUrl);
			const { planHash } = (await lab.ask(link)).body;
			await lab.execution.cancel(transfers[1]?.id ?? "", {
				actor: "profile:lab",
				signal: AbortSignal.timeout(60_000),
			});
			expect(await lab.ask(link)).toMatchObject(GONE);
			expect(await lab.ask(link, { body: { planHash } })).toMatchObject(GONE);
			await lab.tick(600_001);
			expect((await lab.intent(transfers[0]?.id ?? "")).status).toBe("expired");
			expect(lab.handed).toHaveLength(0);
		});

		test("after a confirmation the owner of an external wallet is asked to sign", async () => {
			const by = await lab.person({
				requireTradeConfirmation: true,
				capability: "external/manual",
			});
			const [first] = await ask(by);
			const link = apiOf(first?.confirmUrl);
			const { planHash } = (await lab.ask(link)).body;
			const used = await lab.ask(link, { body: { planHash } });
			expect(used.body.intents).toMatchObject([{ status: "signature_required" }]);
			const next = await lab.ask(apiOf(used.body.intents[0].nextUrl));
			expect(next.body).toMatchObject({ purpose: "sign", planHash });
		});

		test("a confirmed payment that cannot be sent now is continued later, and sent once", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const [first] = await ask(by);
			const link = apiOf(first?.confirmUrl);
			const { planHash } = (await lab.ask(link)).body;
			lab.chain.state.isDown = true;
			const used = await lab.ask(link, { body: { planHash } });
			expect({ status: used.status, intents: used.body.intents.length }).toEqual({
				status: 200,
				intents: 1,
			});
			expect(lab.handed).toHaveLength(0);
			lab.chain.state.isDown = false;
			await lab.tick(11_000);
			const { status } = await lab.intent(first?.id ?? "");
			// An upstream's fault while it is planned denies it: then nothing may follow.
			expect([
				["rejected", 0],
				["submitted", 1],
			]).toContainEqual([status, lab.handed.length]);
		});
	});

	describe("a link to sign", () => {
		test("[TRF-02] a link to sign shows the wallet's request, and the chain decides the outcome", async () => {
			const by = await lab.person({ capability: "external/manual" });
			const [first] = await ask(by);
			const link = apiOf(first?.signUrl);
			const { body } = await lab.ask(link);
			const { address } = by.wallet;
			expect(body).toMatchObject({
				purpose: "sign",
				request: {
					from: address,
					to: ANNA,
					value: "0x3782dace9d90000",
					data: "0x",
					chainId: "0x7a69",
				},
			});
			const valueRaw = BigInt(body.request.value);
			const transactionHash = lab.chain.send({
				from: address,
				to: ANNA,
				nonce: 0,
				valueRaw,
				data: "0x",
			});
			const used = await lab.ask(link, { body: { transactionHash } });
			expect(used.body.intents).toMatchObject([{ status: "submitted", transactionHash }]);
			expect(await lab.ask(link, { body: { transactionHash } })).toMatchObject(GONE);
			lab.chain.mine();
			await lab.tick();
			expect((await lab.intent(first?.id ?? "")).status).toBe("confirmed");
			expect(lab.handed).toHaveLength(0);
		});

		test("a hash that was reported for another transfer is refused, and the link stays unused", async () => {
			const by = await lab.person({ capability: "external/manual" });
			const transfers = await ask(by, [ANNA, BERT]);
			const body = { transactionHash: `0x${"cd".repeat(32)}` };
			await lab.ask(apiOf(transfers[0]?.signUrl), { body });
			const link = apiOf(transfers[1]?.signUrl);
			const other = await lab.ask(link, { body });
			expect(other).toMatchObject({ status: 409, body: { code: "transaction_other" } });
			expect((await lab.ask(link)).status).toBe(200);
		});

		test("a signed transaction may be reported later, when its link is no longer shown", async () => {
			const by = await lab.person({ capability: "external/manual" });
			const transfers = await ask(by, [ANNA, BERT]);
			const [first, second] = transfers.map(({ signUrl }) => apiOf(signUrl));
			await lab.tick(600_001);
			expect((await lab.intent(transfers[0]?.id ?? "")).status).toBe("expired");
			expect(await lab.ask(first ?? "")).toMatchObject(GONE);
			const body = { transactionHash: `0x${"cd".repeat(32)}` };
			const told = await lab.ask(first ?? "", { body });
			expect(told.body.intents).toMatchObject([{ status: "submitted" }]);
			lab.clock.ms += 900_000;
			const late = { transactionHash: `0x${"ef".repeat(32)}` };
			expect(await lab.ask(second ?? "", { body: late })).toMatchObject(GONE);
		});
	});

	test("[SEC-04] an expired, unknown or malformed link is the same 404", async () => {
		const by = await lab.person({ requireTradeConfirmation: true });
		const [first] = await ask(by);
		const link = apiOf(first?.confirmUrl);
		const { planHash } = (await lab.ask(link)).body;
		lab.clock.ms += 600_000;
		const places = [link, `/v1/links/${"a".repeat(43)}`, "/v1/links/x"];
		const answers = await Promise.all(
			places.flatMap((place) => [lab.ask(place), lab.ask(place, { body: { planHash } })]),
		);
		const told = answers.map(({ status, body }) => ({
			status,
			code: body.code,
			text: body.detail,
		}));
		expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1);
		expect(told[0]).toMatchObject({ status: 404, code: "not_found" });
		expect(lab.handed).toHaveLength(0);
	});

	describe("a link whose question is closed", () => {
		const outcomeOf = async (link: string) => lab.ask(`${link}/outcome`);

		test("the link still shows the state and transaction of its intents, and nothing else", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const [first] = await ask(by, [ANNA, BERT]);
			const link = apiOf(first?.confirmUrl);
			const { planHash } = (await lab.ask(link)).body;
			const before = await outcomeOf(link);
			expect(before.body.intents).toMatchObject([
				{ status: "confirmation_required", transactionHash: null },
				{ status: "confirmation_required", transactionHash: null },
			]);
			const used = await lab.ask(link, { body: { planHash } });
			const { status, body, headers } = await outcomeOf(link);
			expect(status).toBe(200);
			expect(headers.get("cache-control")).toBe("no-store");
			expect(body.intents).toEqual(
				used.body.intents.map((one: any) => ({
					kind: "transfer",
					status: "submitted",
					...{ errorCode: null, error: null },
					transactionHash: one.transactionHash,
					cancellation: null,
					chain: { id: 31_337, slug: "anvil", name: "Anvil" },
				})),
			);
			expect(body.intents[0].transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
			// Neither a way in nor a second question: the link itself stays gone.
			expect(await lab.ask(link)).toMatchObject(GONE);
			expect(JSON.stringify(body)).not.toContain(by.profile.id);
			expect(JSON.stringify(body)).not.toContain(planHash);
		});

		test("a link to sign shows only its own transaction, also after it expired", async () => {
			const by = await lab.person({ capability: "external/manual" });
			const [first] = await ask(by, [ANNA, BERT]);
			await lab.tick(600_001);
			const { body } = await outcomeOf(apiOf(first?.signUrl));
			expect(body.intents).toMatchObject([{ status: "expired", transactionHash: null }]);
			expect(body.intents).toHaveLength(1);
		});

		test("[SEC-04] a token that never was a link has no outcome", async () => {
			for (const token of ["a".repeat(43), "x", "%20"]) {
				expect(await outcomeOf(`/v1/links/${token}`)).toMatchObject(GONE);
			}
		});
	});

	describe("a new link", () => {
		test("a new link is created for an open question of the caller's own intent", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const [first] = await ask(by);
			const body = { intentId: first?.id };
			const { status, body: made } = await lab.ask("/v1/links", { body, by });
			expect({ status, expiresAt: made.expiresAt }).toEqual({
				status: 201,
				expiresAt: new Date(lab.clock.ms + 600_000).toISOString(),
			});
			expect((await lab.ask(apiOf(made.url))).status).toBe(200);
		});

		test("a new link is refused to a stranger, for an intent without a question, and beyond a limit", async () => {
			const by = await lab.person({ requireTradeConfirmation: true });
			const other = await lab.person();
			const [first] = await ask(by);
			const [sent] = await ask(other);
			const make = (intentId: unknown, who?: By) =>
				lab.ask("/v1/links", { body: { intentId }, ...(who && { by: who }) });
			expect((await make(first?.id)).status).toBe(401);
			expect(await make(first?.id, other)).toMatchObject(GONE);
			expect(await make(sent?.id, other)).toMatchObject({
				status: 409,
				body: { code: "no_question" },
			});
			expect((await make("x", by)).status).toBe(422);
			for (let made = 1; made < 20; made++) expect((await make(first?.id, by)).status).toBe(201);
			const last = await make(first?.id, by);
			expect(last).toMatchObject({ status: 409, body: { code: "links_too_many" } });
		});
	});

	test("[SEC-07] the token and the URL of a link are in no table except that of stored answers", async () => {
		const by = await lab.person({ requireTradeConfirmation: true });
		const [first] = await ask(by);
		const token = first?.confirmUrl.split("/").pop() ?? "";
		const rows = await database.db.query<{ row: string }>(
			"select l::text || i::text as row from wallets.link l, wallets.intent i",
		);
		expect(rows).toHaveLength(1);
		expect(rows[0]?.row).not.toContain(token);
		expect(rows[0]?.row).not.toContain(Buffer.from(token).toString("hex"));
	});
});

describe("postLink.409", () => {
	// Guarantee: one transaction stands for one intent, in whatever order and moment it is reported.

	const HASH = `0x${"cd".repeat(32)}`;
	/** Looks at who waits for a lock; each is a round trip to the database. */
	const LOOKS_MAX = 20_000;

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

	type By = Awaited<ReturnType<TransfersLab["person"]>>;

	/** A transfer of its own batch, for its owner's wallet to sign; answers the link's place. */
	async function linkOf(by: By): Promise<string> {
		const recipients = [`0x${"a1".repeat(20)}`];
		const body = { fromWalletId: by.wallet.id, recipients, amount: "0.25" };
		const asked = await lab.ask("/v1/trading/wallet-transfers", { body, by });
		return `/v1/links/${asked.body.transfers[0].signUrl.split("/").pop()}`;
	}

	async function untilWaiting(tx: Tx, count: number): Promise<void> {
		let waiting = 0;
		for (let looks = 0; waiting < count && looks < LOOKS_MAX; looks++) {
			await tx.query("select pg_stat_clear_snapshot()");
			const [row] = await tx.query<{ waiting: number }>(
				`select count(*)::int as waiting from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`,
			);
			waiting = row?.waiting ?? 0;
		}
		expect(waiting).toBe(count);
	}

	test("of two simultaneous reports of one transaction one is accepted and one gets 409", async () => {
		const by = await lab.person({ capability: "external/manual" });
		const links = [await linkOf(by), await linkOf(by)];
		const body = { transactionHash: HASH };
		const asked = await database.db.transaction(async (tx) => {
			// Both look whether it stands for another before either has written.
			await tx.execute("lock table wallets.submission in share row exclusive mode");
			const asking = links.map((link) => lab.ask(link, { body }));
			await untilWaiting(tx, links.length);
			return asking;
		});
		const answers = await Promise.all(asked);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
		const refused = answers.findIndex(({ status }) => status === 409);
		expect(answers[refused]?.body).toMatchObject({ code: "transaction_other", status: 409 });
		expect(answers[refused]?.headers.get("content-type")).toBe("application/problem+json");
		// It can be told of the one that it is.
		const link = links[refused] ?? "";
		expect((await lab.ask(link)).status).toBe(200);
		const own = await lab.ask(link, { body: { transactionHash: `0x${"ef".repeat(32)}` } });
		expect(own.body.intents).toMatchObject([{ status: "submitted" }]);
	});

	test("a second intent's report of a used transaction gets 409, and repeating the first does not", async () => {
		const by = await lab.person({ capability: "external/manual" });
		const [first = "", second = ""] = [await linkOf(by), await linkOf(by)];
		const body = { transactionHash: HASH };
		const taken = await lab.ask(first, { body });
		expect(taken.status).toBe(200);
		expect((await lab.ask(second, { body })).body.code).toBe("transaction_other");
		const [intent] = taken.body.intents;
		expect((await lab.execution.signed(intent.id, `0x${"cd".repeat(32)}`)).status).toBe(
			"submitted",
		);
		const elsewhere = await lab.person({ capability: "external/manual" });
		// What somebody else says is theirs keeps nobody from being found.
		expect((await lab.ask(await linkOf(elsewhere), { body })).status).toBe(200);
	});
});
