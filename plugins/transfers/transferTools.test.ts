import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Caller } from "#core/plugin/Tool.ts";
import { transferTools } from "#plugins/transfers/transferTools.ts";
import { openTransfersLab, type TransfersLab } from "#test/harness/openTransfersLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the agent's transfer equals a route's transfer, sent once per key; a prepared one
// sends nothing before its owner agrees by the link.

const ANNA = `0x${"a1".repeat(20)}` as const;
const signal = new AbortController().signal;

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

type Person = Awaited<ReturnType<TransfersLab["person"]>>;

async function run(name: string, by: Person | null, key: string | null = null, more: object = {}) {
	const tool = transferTools(lab.context).find((one) => one.name === name);
	if (!tool) throw new Error("no such tool");
	const profileId = by?.profile.id ?? null;
	const caller: Caller = { channel: "agent", profileId, authority: by ? "author" : "none" };
	const input = tool.input.parse({ amount: "0.25", to: ANNA, ...more });
	const answer = await tool.run(input, { caller, idempotencyKey: key, signal });
	if (answer.kind !== "done") throw new Error("it asks");
	const output = tool.output.parse(answer.output);
	return { output, line: tool.line(output), links: tool.links?.(output) ?? [] };
}

test("an author's transfer from a delegated wallet is sent, once for each key", async () => {
	const by = await lab.person();
	const first = await run("send_eth", by, "message-1");
	expect(first.output).toMatchObject({ status: "submitted", recipient: ANNA, amount: "0.25" });
	expect(first.line).toBe("0.25 ETH to 0xa1a1…a1a1 on anvil is on its way, not confirmed yet.");
	expect(first.links).toEqual([]);
	const again = await run("send_eth", by, "message-1");
	expect(again.output).toEqual(first.output);
	expect(lab.chain.pool()).toHaveLength(1);
	expect(await lab.intent(first.output.id)).toMatchObject({ channel: "agent", asks: false });
});

test("a repeated key with another amount sends nothing", async () => {
	const by = await lab.person();
	await run("send_eth", by, "message-1");
	await expect(run("send_eth", by, "message-1", { amount: "0.5" })).rejects.toMatchObject({
		code: "idempotency_conflict",
	});
	expect(lab.chain.pool()).toHaveLength(1);
});

test("a key is valid for one action: another tool under it records nothing", async () => {
	const by = await lab.person();
	await run("send_eth", by, "message-1");
	await expect(run("prepare_send_eth", by, "message-1")).rejects.toMatchObject({
		code: "idempotency_conflict",
	});
	await run("prepare_send_eth", by, "message-2");
	await expect(run("send_eth", by, "message-2")).rejects.toMatchObject({
		code: "idempotency_conflict",
	});
	expect(lab.chain.pool()).toHaveLength(1);
});

test("a prepared transfer of a delegated wallet waits for its owner's confirmation", async () => {
	const by = await lab.person();
	const { output, line, links } = await run("prepare_send_eth", by);
	expect(output).toMatchObject({ status: "confirmation_required", transactionHash: null });
	expect(line).toBe(
		"0.25 ETH to 0xa1a1…a1a1 on anvil waits for your yes by the link, nothing was sent.",
	);
	expect(links).toEqual([{ rel: "confirm", url: output.confirmUrl }]);
	// An address, and no secret: who has only that gets no further.
	expect(new URL(output.confirmUrl).pathname).toBe(`/links/${output.id}`);
	expect((await lab.ask(`/v1/links/${output.id}`)).status).toBe(404);
	expect((await lab.ask("/v1/links", { body: { intentId: output.id } })).status).toBe(401);
	await lab.tick();
	expect(lab.chain.pool()).toEqual([]);
	expect((await lab.ask("/v1/links", { body: { intentId: output.id }, by })).status).toBe(403);
	const headers = { origin: "https://app.example" };
	const made = await lab.ask("/v1/links", { headers, body: { intentId: output.id }, by });
	const path = `/v1/links/${new URL(made.body.url).pathname.split("/").at(-1)}`;
	const shown = await lab.ask(path);
	const answered = await lab.ask(path, { body: { planHash: shown.body.planHash } });
	expect(answered.status).toBe(200);
	expect(lab.chain.pool()).toMatchObject([{ to: ANNA, valueRaw: 25n * 10n ** 16n }]);
	const twice = await lab.ask(path, { body: { planHash: shown.body.planHash } });
	expect(twice.status).toBe(404);
	expect(lab.chain.pool()).toHaveLength(1);
});

test("a prepared transfer from an owner's own wallet has one link, to sign it", async () => {
	const by = await lab.person({ capability: "external/manual" });
	const { output, links } = await run("prepare_send_eth", by);
	expect(output.status).toBe("signature_required");
	expect(links).toEqual([{ rel: "sign", url: output.signUrl }]);
});

test("a guest's transfer is refused, and errors in the command are reported before anything is stored", async () => {
	await expect(run("send_eth", null)).rejects.toMatchObject({ code: "unauthorized" });
	const by = await lab.person();
	const wrong = { to: "0xA1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1" };
	await expect(run("send_eth", by, null, wrong)).rejects.toMatchObject({
		code: "validation_error",
		publicDetail: expect.stringContaining("checksum"),
	});
	const { body } = await lab.ask("/v1/trading/wallet-transfers", { by });
	expect(body.data).toEqual([]);
});
