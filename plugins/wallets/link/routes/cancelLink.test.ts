import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { hexToBytes } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { SIGNED_UNSEEN_MS } from "#plugins/wallets/reconcile/looks.ts";
import { SHOP } from "#plugins/wallets/testing/executionLab.ts";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: who sent a payment with their own wallet can cancel it with that wallet. What they
// sign is shown and takes the payment's nonce; what they report moves nothing: the chain decides.

const ANNA: Address = `0x${"a1".repeat(20)}`;
const PATH = "/v1/trading/wallet-transfers";
const GONE = { status: 404, body: { code: "not_found" } };
const FEE_RAW = 1_000n;

let database: TestDatabase;
let lab: TransfersLab;
let by: By;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openTransfersLab(database.db);
	by = await lab.person({ capability: "external/manual" });
});

type By = Awaited<ReturnType<TransfersLab["person"]>>;
type Paid = { id: string; hash: Hex; nonce: number };

/** A link's place in the API. */
const apiOf = (url: string | undefined) => `/v1/links/${url?.split("/").pop()}`;
const status = async (id: string) => (await lab.intent(id)).status;
const submissions = () =>
	lab.db.query<{ purpose: string; state: string; nonce: number | null }>(
		`select purpose::text as purpose, state::text as state, nonce from wallets.submission
		order by created_at, id`,
	);

/** A transfer that its owner's own wallet sent, and reported by its link. */
async function paid({ nonce = 0, isShown = true } = {}): Promise<Paid> {
	const body = { fromWalletId: by.wallet.id, recipients: [ANNA], amount: "0.25" };
	const [transfer] = (await lab.ask(PATH, { body, by })).body.transfers;
	const link = apiOf(transfer.signUrl);
	const { from, to, value } = (await lab.ask(link)).body.request;
	const sent = { from, to, nonce, valueRaw: BigInt(value), data: "0x", feeRaw: FEE_RAW } as const;
	const hash = isShown ? lab.chain.send(sent) : lab.chain.hashOf(sent);
	await lab.ask(link, { body: { transactionHash: hash } });
	await lab.tick();
	return { id: transfer.id, hash, nonce };
}

const cancel = (id: string, who: By | null = by) =>
	lab.ask(`${PATH}/${id}/cancel`, { method: "POST", ...(who && { by: who }) });

async function cancelLink(id: string): Promise<string> {
	const { status: code, body } = await cancel(id);
	expect({ code, status: body.status }).toEqual({ code: 200, status: "submitted" });
	return apiOf(body.cancelUrl);
}

type Request = { from: Address; to: Address; value: Hex; data: Hex; nonce: Hex; maxFeePerGas: Hex };

/** What a wallet does that signs what the link's page asks of it. */
async function sign(link: string, change: { nonce?: number } = {}): Promise<Hex> {
	const request: Request = (await lab.ask(link)).body.request;
	const { from, to, data, value, nonce, maxFeePerGas } = request;
	return lab.chain.send({
		...{ from, to, data, valueRaw: BigInt(value), nonce: change.nonce ?? Number(nonce) },
		feeRaw: BigInt(maxFeePerGas),
	});
}

const report = (link: string, transactionHash: string) =>
	lab.ask(link, { body: { transactionHash } });

/** Until somebody in this database waits for a lock. */
async function waits(): Promise<void> {
	for (let look = 0; look < 10_000; look++) {
		const rows = await lab.db.query(
			`select 1 from pg_locks l join pg_stat_activity a using (pid)
			where not l.granted and a.datname = current_database()`,
		);
		if (rows.length > 0) return;
	}
	throw new Error("nobody waits");
}

/** Blocks on top, and looks at everything. */
async function bury(): Promise<void> {
	for (let block = 0; block < 4; block++) lab.chain.mine();
	for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
}

describe("a payment that its owner's own wallet sent", () => {
	test("the payment is cancelled by a link that shows what is signed, and ends once that is final", async () => {
		const { id, hash } = await paid({ nonce: 0 });
		const asked = await cancel(id);
		expect(asked).toMatchObject({
			status: 200,
			body: { id, status: "submitted", transactionHash: hash, cancellation: null, signUrl: null },
		});
		const link = apiOf(asked.body.cancelUrl);
		const { status: code, headers, body } = await lab.ask(link);
		expect({ code, cache: headers.get("cache-control") }).toEqual({ code: 200, cache: "no-store" });
		const { address } = by.wallet;
		expect(body).toMatchObject({
			...{ purpose: "cancel", kind: "transfer", expiresInMs: 600_000 },
			request: {
				...{ from: address, to: address, value: "0x0", data: "0x", chainId: "0x7a69" },
				nonce: "0x0",
			},
			transactions: [
				{
					...{ intentId: id, from: address, to: address, recipient: address, data: "0x" },
					...{ valueRaw: "0", spend: { amount: "0", symbol: "ETH" }, planHash: body.planHash },
					shown: {
						...{ action: "cancel", nonce: "0", cancelsTransaction: hash },
						cancels: `Sends 0.25 ETH to ${ANNA} on Anvil.`,
						summary: expect.stringContaining("under nonce 0"),
					},
				},
			],
		});
		const { maxFeePerGas, maxPriorityFeePerGas } = body.request;
		expect(BigInt(maxFeePerGas) * 10n).toBeGreaterThanOrEqual(FEE_RAW * 11n);
		expect(BigInt(maxPriorityFeePerGas)).toBeGreaterThan(2n);
		// Looking uses nothing up, and nothing is written yet.
		expect((await lab.ask(link)).status).toBe(200);
		expect(await submissions()).toHaveLength(1);

		const cancellation = await sign(link);
		const used = await report(link, cancellation);
		expect(used).toMatchObject({
			status: 200,
			body: {
				intents: [
					{
						...{ id, status: "submitted", nextUrl: null, transactionHash: hash },
						cancellation: { state: "sent", transactionHash: cancellation },
					},
				],
			},
		});
		expect(await lab.ask(link)).toMatchObject(GONE);
		expect(await report(link, cancellation)).toMatchObject(GONE);
		lab.chain.mine();
		await lab.tick();
		expect(await lab.intent(id)).toMatchObject({
			...{ status: "submitted", cancellation: { state: "mined", transactionHash: cancellation } },
		});
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
		expect((await lab.ask(`${link}/outcome`)).body.intents).toMatchObject([
			{ status: "failed", errorCode: "cancelled", cancellation: { state: "mined" } },
		]);
		expect(lab.handed).toHaveLength(0);
		expect(lab.audited).toMatchObject([
			{
				action: "trading.intent.cancellation_signed",
				detail: { nonce: 0, transactionHash: cancellation, by: "link" },
			},
		]);
	});

	test("the payment is settled if it is mined after all, and its cancellation ends", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		const [payment] = lab.chain.pool();
		const cancellation = await sign(link);
		await report(link, cancellation);
		lab.chain.forgetPool();
		if (payment) lab.chain.send(payment);
		await bury();
		expect(await lab.intent(id)).toMatchObject({
			...{ status: "confirmed", cancellation: { state: "never" } },
		});
		expect(await lab.ledger(id)).toEqual({});
	});

	test("the payment is open again if the block of its cancellation leaves the chain", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		const [payment] = lab.chain.pool();
		await report(link, await sign(link));
		lab.chain.mine();
		await lab.tick();
		lab.chain.reorg({ depth: 1, forgets: true });
		if (payment) lab.chain.send(payment);
		await bury();
		expect(await status(id)).toBe("confirmed");
	});

	test("a cancellation that the owner's wallet speeds up counts under its new hash", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		await report(link, await sign(link));
		const [first] = lab.chain.pool();
		const faster = lab.chain.send({ ...first!, feeRaw: (first?.feeRaw ?? 0n) * 2n });
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(id)).cancellation).toEqual({
			state: "mined",
			transactionHash: faster,
		});
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
	});

	test("the payment is cancelled again with a higher fee than the cancellation before", async () => {
		const { id } = await paid();
		const first = await cancelLink(id);
		await report(first, await sign(first));
		await lab.tick();
		const { request: before } = (await lab.ask(await cancelLink(id))).body;
		const [waiting] = lab.chain.pool();
		expect(BigInt(before.maxFeePerGas) * 10n).toBeGreaterThanOrEqual((waiting?.feeRaw ?? 0n) * 11n);
	});

	test("only the payment's owner gets a new link to cancel, while the payment is pending", async () => {
		const { id } = await paid();
		const make = (who: By | null, body: object = { intentId: id, purpose: "cancel" }) =>
			lab.ask("/v1/links", { body, ...(who && { by: who }) });
		expect((await make(null)).status).toBe(401);
		expect(await make(await lab.person())).toMatchObject(GONE);
		expect(await make(by, { intentId: id })).toMatchObject({
			...{ status: 409, body: { code: "no_question" } },
		});
		expect((await make(by, { intentId: id, purpose: "confirm" })).status).toBe(422);
		const { status: code, body } = await make(by);
		expect(code).toBe(201);
		const link = apiOf(body.url);
		await report(link, await sign(link));
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
		expect(await make(by)).toMatchObject({ status: 409, body: { code: "intent_state" } });
	});

	test("a payment sent by the service is cancelled by a link once the service may not send any more", async () => {
		by = await lab.person();
		lab.moods.push("keeps, silent");
		const body = { fromWalletId: by.wallet.id, recipients: [ANNA], amount: "0.25" };
		const [transfer] = (await lab.ask(PATH, { body, by })).body.transfers;
		await lab.db.execute("update wallets.wallet set capability = 'embedded/manual' where id = $1", [
			by.wallet.id,
		]);
		await lab.tick();
		expect(await status(transfer.id)).toBe("uncertain");
		const link = apiOf((await cancel(transfer.id)).body.cancelUrl);
		expect((await lab.ask(link)).body.request).toMatchObject({ nonce: "0x0", value: "0x0" });
		await report(link, await sign(link));
		await bury();
		expect(await lab.intent(transfer.id)).toMatchObject({
			...{ status: "failed", errorCode: "cancelled" },
		});
	});
});

describe("a payment for which no link to cancel is created", () => {
	test("a payment that no node has shown gets no link, because its nonce is unknown", async () => {
		const { id } = await paid({ isShown: false });
		expect(await cancel(id)).toMatchObject({ status: 409, body: { code: "nonce_unknown" } });
	});

	test("a payment whose own bytes have another nonce than the node's answer gets no link", async () => {
		const { id } = await paid();
		await lab.db.execute("update wallets.submission set seen_nonce = 7");
		expect(await cancel(id)).toMatchObject({ status: 409, body: { code: "nonce_unknown" } });
	});

	test("a payment whose nonce is used, that is settled, or that was not sent gets no link", async () => {
		const used = await paid();
		lab.chain.mine();
		expect(await cancel(used.id)).toMatchObject({ status: 409, body: { code: "nonce_used" } });
		await bury();
		expect(await status(used.id)).toBe("confirmed");
		expect(await cancel(used.id)).toMatchObject({ status: 409, body: { code: "intent_state" } });
		const body = { fromWalletId: by.wallet.id, recipients: [ANNA], amount: "0.25" };
		const [unsent] = (await lab.ask(PATH, { body, by })).body.transfers;
		const links = { intentId: unsent.id, purpose: "cancel" };
		expect(await lab.ask("/v1/links", { body: links, by })).toMatchObject({
			...{ status: 409, body: { code: "no_question" } },
		});
		expect(await cancel(unsent.id)).toMatchObject({
			...{ status: 200, body: { status: "rejected", errorCode: "cancelled", cancelUrl: null } },
		});
	});

	test("a stranger gets no link, nor does a payment that the service can cancel by itself", async () => {
		const { id } = await paid();
		expect(await cancel(id, await lab.person())).toMatchObject(GONE);
		expect((await cancel(id, null)).status).toBe(401);
		const delegated = await lab.person();
		const body = { fromWalletId: delegated.wallet.id, recipients: [ANNA], amount: "0.25" };
		const [sent] = (await lab.ask(PATH, { body, by: delegated })).body.transfers;
		const links = { intentId: sent.id, purpose: "cancel" };
		expect(await lab.ask("/v1/links", { body: links, by: delegated })).toMatchObject({
			...{ status: 409, body: { code: "no_question" } },
		});
		expect((await cancel(sent.id, delegated)).body).toMatchObject({
			...{ cancelUrl: null, cancellation: { state: "sent" } },
		});
	});

	test("a queued payment gets no link, because it can be cancelled without one", async () => {
		by = await lab.person();
		lab.moods.push("keeps, silent");
		const ids: string[] = [];
		for (const recipient of [ANNA, SHOP]) {
			const body = { fromWalletId: by.wallet.id, recipients: [recipient], amount: "0.25" };
			ids.push((await lab.ask(PATH, { body, by })).body.transfers[0].id);
		}
		await lab.db.execute("update wallets.wallet set capability = 'embedded/manual' where id = $1", [
			by.wallet.id,
		]);
		expect(await cancel(ids[1] ?? "")).toMatchObject({
			...{ status: 200, body: { status: "failed", errorCode: "cancelled", cancelUrl: null } },
		});
	});

	test("a refused payment whose nonce another one has gets no link, to protect that other payment", async () => {
		by = await lab.person();
		lab.moods.push("refuses, signed");
		const ids: string[] = [];
		for (const recipient of [ANNA, SHOP]) {
			const body = { fromWalletId: by.wallet.id, recipients: [recipient], amount: "0.25" };
			ids.push((await lab.ask(PATH, { body, by })).body.transfers[0].id);
			await lab.tick();
		}
		await lab.db.execute("update wallets.wallet set capability = 'embedded/manual' where id = $1", [
			by.wallet.id,
		]);
		expect(await cancel(ids[0] ?? "")).toMatchObject({
			...{ status: 409, body: { code: "nonce_taken" } },
		});
		expect(await cancel(ids[1] ?? "")).toMatchObject({ status: 200 });
	});

	test("a cancellation above this deployment's highest fee gets no link, whatever a node says", async () => {
		const { id } = await paid();
		lab.chain.state.tipRaw = 10n ** 17n;
		expect(await cancel(id)).toMatchObject({ status: 409, body: { code: "cancel_fee_limit" } });
	});

	test("links and reports of one payment are limited in number", async () => {
		const { id } = await paid();
		// The link that the payment was signed by is one of the twenty.
		for (let made = 1; made < 20; made++) await cancelLink(id);
		expect(await cancel(id)).toMatchObject({ status: 409, body: { code: "links_too_many" } });
		for (let place = 0; place < 20; place++) {
			await lab.db.execute("delete from wallets.link");
			const hash = `0x${place.toString(16).padStart(64, "0")}`;
			expect((await report(await cancelLink(id), hash)).status).toBe(200);
		}
		expect(await cancel(id)).toMatchObject({
			...{ status: 409, body: { code: "cancellations_too_many" } },
		});
	});
});

describe("a link to cancel", () => {
	test("a link to cancel is not found once the payment is mined, or has another nonce", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		await lab.db.execute("update wallets.submission set seen_nonce = 7");
		expect(await lab.ask(link)).toMatchObject(GONE);
		expect(await report(link, `0x${"ab".repeat(32)}`)).toMatchObject(GONE);
		await lab.db.execute("update wallets.submission set seen_nonce = 0");
		expect((await lab.ask(link)).status).toBe(200);
		lab.chain.mine();
		await lab.tick();
		expect(await status(id)).toBe("confirmed");
		expect(await lab.ask(link)).toMatchObject(GONE);
		await bury();
		expect(await report(link, `0x${"ab".repeat(32)}`)).toMatchObject(GONE);
	});

	test("a link to cancel is not found if its stored terms were changed", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		for (const [member, value] of [
			["nonce", "1"],
			["maxFeePerGas", '"999999999"'],
			["from", `"${SHOP}"`],
			["intentId", `"${crypto.randomUUID()}"`],
			["more", "1"],
		] as const) {
			const [before] = await lab.db.query<{ terms: unknown }>(
				"select terms from wallets.link where purpose = 'cancel'",
			);
			await lab.db.execute(
				"update wallets.link set terms = terms || $1::jsonb where purpose = 'cancel'",
				[`{"${member}": ${value}}`],
			);
			expect(await lab.ask(link)).toMatchObject(GONE);
			await lab.db.execute("update wallets.link set terms = $1::jsonb where purpose = 'cancel'", [
				JSON.stringify(before?.terms),
			]);
		}
		expect((await lab.ask(link)).status).toBe(200);
	});

	test("a link to cancel accepts no confirmation, and no other link's answer, and stays unused", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		const { planHash } = (await lab.ask(link)).body;
		for (const body of [{ planHash }, {}, { transactionHash: "0x1" }]) {
			expect(await lab.ask(link, { body })).toMatchObject({
				...{ status: 422, body: { code: "validation_error" } },
			});
		}
		expect((await lab.ask(link)).status).toBe(200);
	});

	test("a link to cancel is valid for ten minutes, and accepts a signed transaction a while longer", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		const cancellation = await sign(link);
		lab.clock.ms += 600_000;
		expect(await lab.ask(link)).toMatchObject(GONE);
		expect((await report(link, cancellation)).status).toBe(200);
		const late = await cancelLink(id);
		lab.clock.ms += 600_000 + 900_000;
		expect(await report(late, `0x${"ab".repeat(32)}`)).toMatchObject(GONE);
	});

	test("of many simultaneous answers a link to cancel accepts one", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		const answers = await Promise.all(
			["a", "b", "c", "d"].map((digit) => report(link, `0x${digit.repeat(64)}`)),
		);
		expect(answers.map((one) => one.status).sort()).toEqual([200, 404, 404, 404]);
		expect(await submissions()).toHaveLength(2);
	});
});

describe("a transaction reported as a cancellation", () => {
	test("the hash of the payment, or of another intent's transaction, is refused", async () => {
		const { id, hash } = await paid();
		const link = await cancelLink(id);
		const other = await paid({ nonce: 1 });
		for (const known of [hash, other.hash]) {
			expect(await report(link, known)).toMatchObject({
				...{ status: 409, body: { code: "transaction_other" } },
			});
		}
		// That used nothing up.
		const cancellation = await sign(link);
		expect((await report(link, cancellation)).status).toBe(200);
		const otherLink = await cancelLink(other.id);
		expect(await report(otherLink, cancellation)).toMatchObject({
			...{ status: 409, body: { code: "transaction_other" } },
		});
	});

	test("a cancellation that is reported several times counts once", async () => {
		const { id } = await paid();
		const links = [await cancelLink(id), await cancelLink(id), await cancelLink(id)];
		const cancellation = await sign(links[0] ?? "");
		const answers = await Promise.all(links.map((link) => report(link, cancellation)));
		expect(answers.map((one) => one.status)).toEqual([200, 200, 200]);
		expect(await submissions()).toEqual([
			{ purpose: "pay", state: "sent", nonce: null },
			{ purpose: "cancel", state: "sent", nonce: null },
		]);
		expect(lab.audited).toHaveLength(1);
	});

	test("a hash that is simultaneously reported for another intent is refused, without a 500", async () => {
		const [one, two] = [await paid(), await paid({ nonce: 1 })];
		const link = await cancelLink(one.id);
		const hash = `0x${"ab".repeat(32)}` as const;
		const told = await lab.db.transaction(async (tx) => {
			await tx.execute("update wallets.submission set transaction_hash = $2 where intent_id = $1", [
				two.id,
				hexToBytes(hash),
			]);
			const answer = report(link, hash);
			await waits();
			return { answer };
		});
		expect(await told.answer).toMatchObject({ status: 409, body: { code: "transaction_other" } });
		expect((await lab.ask(link)).status).toBe(200);
	});

	test("a cancellation counts also if the payment was in a block that left the chain", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		const [payment] = lab.chain.pool();
		const cancellation = await sign(link);
		const [replacement] = lab.chain.pool();
		lab.chain.forgetPool();
		if (payment) lab.chain.send(payment);
		lab.chain.mine();
		await lab.tick();
		expect(await status(id)).toBe("confirmed");
		expect(await report(link, cancellation)).toMatchObject({
			...{ status: 200, body: { intents: [{ status: "confirmed" }] } },
		});
		lab.chain.reorg({ depth: 1, forgets: true });
		if (replacement) lab.chain.send(replacement);
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
	});

	test("a cancellation under another nonce is not counted, and the payment continues", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		const wrong = await sign(link, { nonce: 1 });
		await report(link, wrong);
		await lab.tick();
		expect((await lab.intent(id)).cancellation).toEqual({ state: "never", transactionHash: null });
		await bury();
		expect(await status(id)).toBe("confirmed");
	});

	test("a report of a foreign or unknown transaction changes nothing", async () => {
		const { id } = await paid();
		const first = await cancelLink(id);
		const { address } = by.wallet;
		const foreign = lab.chain.send({ from: SHOP, to: SHOP, nonce: 0, valueRaw: 0n, data: "0x" });
		await report(first, foreign);
		await report(await cancelLink(id), `0x${"ab".repeat(32)}`);
		await lab.tick();
		expect(await status(id)).toBe("submitted");
		await lab.tick(SIGNED_UNSEEN_MS + 1);
		await lab.tick();
		expect(await status(id)).toBe("submitted");
		await bury();
		expect(await status(id)).toBe("confirmed");
		expect(lab.chain.minedFrom(address)).toBe(1);
	});

	test("a report of the payment under its newer hash does not delay the payment", async () => {
		const { id } = await paid();
		const link = await cancelLink(id);
		const [payment] = lab.chain.pool();
		const faster = lab.chain.send({ ...payment!, feeRaw: FEE_RAW * 3n });
		await report(link, faster);
		// Nobody looked before it was deep enough.
		for (let block = 0; block < 5; block++) lab.chain.mine();
		await lab.tick();
		await lab.tick(400_000);
		expect(await lab.intent(id)).toMatchObject({ status: "confirmed", transactionHash: faster });
		expect(await lab.moves(id)).not.toContain("disproved");
	});
});

test("[SEC-04] a used or old link to cancel is the same 404 as an unknown one", async () => {
	const { id } = await paid();
	const [used, old] = [await cancelLink(id), await cancelLink(id)];
	await report(used, await sign(used));
	lab.clock.ms += 600_000 + 900_000;
	const places = [used, old, `/v1/links/${"a".repeat(43)}`];
	const answers = await Promise.all(
		places.flatMap((place) => [lab.ask(place), report(place, `0x${"cd".repeat(32)}`)]),
	);
	const told = answers.map(({ status, body }) => ({ status, code: body.code, text: body.detail }));
	expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1);
	expect(told[0]).toMatchObject(GONE.body);
});
