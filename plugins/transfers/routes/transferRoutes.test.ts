import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const PATH = "/v1/trading/wallet-transfers";

let database: TestDatabase;
let lab: TransfersLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = openTransfersLab(database.db);
});
afterAll(() => database?.drop());

/** Makes one transfer for each recipient, one call each, and returns their ids. */
async function sendTo(by: Awaited<ReturnType<TransfersLab["person"]>>, digits: readonly string[]) {
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
	const sent = () => lab.handed.filter(({ transaction }) => transaction.from === by.wallet.address);
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
